//! Links between the pages of a list.

use a11ycheck_core::paging::Page;

/// The place of a page in a list.
#[derive(Debug, Clone)]
pub(super) struct Paging {
    pub(super) page: u64,
    pub(super) last: u64,
    /// The query of the pages but for their numbers: empty, or ending with `&`.
    pub(super) query: String,
}

impl Paging {
    pub(super) fn of<T>(page: &Page<T>, parameters: &[(&str, &str)]) -> Self {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in parameters.iter().filter(|(_, value)| !value.is_empty()) {
            query.append_pair(name, value);
        }
        let mut query = query.finish();
        if !query.is_empty() {
            query.push('&');
        }
        Self { page: page.request.page().into(), last: page.last_page(), query }
    }

    pub(super) const fn is_shown(&self) -> bool {
        self.last > 1
    }
}
