//! Which page of a list a request asks for.

use a11ycheck_core::{
    domain::{FieldErrors, Problem},
    paging::PageRequest,
};
use schemars::JsonSchema;

/// The parameters `page` and `per_page` of a request, as text.
#[derive(Debug, Clone, Default, JsonSchema)]
pub struct PageQuery {
    /// The page, from 1. A lower number counts as 1.
    #[schemars(with = "i64", extend("default" = 1), example = 1)]
    pub page: Option<String>,
    /// The number of items per page, 1 to 100. A number beyond counts as the nearest of these; `meta.per_page` shows it. Each list
    /// has its own default.
    #[schemars(with = "i64", example = 10)]
    pub per_page: Option<String>,
}

/// The parameter `tag` of a request for sites.
#[derive(Debug, Clone, Default, JsonSchema)]
pub struct SiteFilter {
    /// Only sites with this tag.
    #[schemars(with = "String", example = &"client-a")]
    pub tag: Option<String>,
}

impl PageQuery {
    /// Reads the numbers. An integer outside its range is moved to the nearest one inside it, however many digits it has.
    ///
    /// # Errors
    /// Returns [`Problem::NotInteger`] for each parameter that is not an integer, `per_page` before `page`.
    pub fn parse(&self, default_per_page: u32) -> Result<PageRequest, FieldErrors> {
        let mut errors = FieldErrors::default();
        let mut number = |field, text: &Option<String>, default| match text.as_deref().map(str::trim) {
            None | Some("") => default,
            Some(text) => saturating_integer(text).unwrap_or_else(|| {
                errors.add(field, Problem::NotInteger);
                default
            }),
        };
        let per_page = number("per_page", &self.per_page, default_per_page);
        let page = number("page", &self.page, 1);
        if errors.is_empty() { Ok(PageRequest::new(page, per_page)) } else { Err(errors) }
    }
}

/// Reads an integer of any size and moves it into the range of `u32`.
fn saturating_integer(text: &str) -> Option<u32> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Digits alone fail to parse only by being too many.
    Some(if is_negative { 0 } else { digits.parse().unwrap_or(u32::MAX) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_of_any_size_is_moved_into_range_and_anything_else_refused() {
        let parse = |page: &str, per_page: &str| {
            let query = PageQuery { page: Some(page.to_owned()), per_page: Some(per_page.to_owned()) };
            query.parse(50).map(|request| (request.page(), request.per_page()))
        };
        assert_eq!(parse("99999999999999999999", "-1"), Ok((u32::MAX, 1)));
        assert_eq!(parse(" 2 ", "101"), Ok((2, 100)));
        assert_eq!(parse("", ""), Ok((1, 50)));
        let errors = parse("1.5", "ten").unwrap_err();
        assert_eq!(errors.iter().map(|(field, _)| field).collect::<Vec<_>>(), ["per_page", "page"]);
    }
}
