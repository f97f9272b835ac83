//! Pages of lists: which one is wanted, and what is on it.

use crate::domain::{FieldErrors, Problem};

/// Which page of a list is wanted. Values out of range are moved to the nearest one in it (design §4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    page: u32,
    per_page: u32,
}

impl PageRequest {
    /// Items that a page holds at most (contract, "Limits").
    pub const MAX_PER_PAGE: u32 = 100;

    /// Page number `page`, counted from 1, of `per_page` items, 1 to [`MAX_PER_PAGE`](Self::MAX_PER_PAGE).
    pub fn new(page: u32, per_page: u32) -> Self {
        Self { page: page.max(1), per_page: per_page.clamp(1, Self::MAX_PER_PAGE) }
    }

    /// The page's number, at least 1.
    pub const fn page(self) -> u32 {
        self.page
    }

    /// How many items a page holds.
    pub const fn per_page(self) -> u32 {
        self.per_page
    }

    /// Items that come before this page.
    pub const fn offset(self) -> u64 {
        (self.page as u64 - 1) * self.per_page as u64
    }
}

/// Which page a client asks for, as it sends it.
#[derive(Debug, Clone, Default)]
pub struct PageInput {
    /// Counted from 1; 1 where it is left out.
    pub page: Option<String>,
    /// The list's own default where it is left out.
    pub per_page: Option<String>,
}

impl From<PageRequest> for PageInput {
    fn from(request: PageRequest) -> Self {
        Self { page: Some(request.page.to_string()), per_page: Some(request.per_page.to_string()) }
    }
}

impl PageInput {
    /// Reads the numbers; an integer out of range is moved into it, however long it is.
    pub(crate) fn parse(&self, default_per_page: u32) -> Result<PageRequest, FieldErrors> {
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

/// An integer of any size, moved into the range of `u32`.
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

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// What was asked for.
    pub request: PageRequest,
    /// The items; empty beyond the end.
    pub items: Vec<T>,
    /// Items of the whole list.
    pub total: u64,
}

impl<T> Page<T> {
    /// Cuts a page out of a whole list.
    pub fn cut(all: impl ExactSizeIterator<Item = T>, request: PageRequest) -> Self {
        let total = all.len() as u64;
        let offset = usize::try_from(request.offset()).unwrap_or(usize::MAX);
        Self { request, items: all.skip(offset).take(request.per_page as usize).collect(), total }
    }

    /// The last page's number; 1 for an empty list.
    pub fn last_page(&self) -> u64 {
        self.total.div_ceil(self.request.per_page.into()).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_out_of_range_are_moved_into_it() {
        let request = PageRequest::new(0, 0);
        assert_eq!((request.page(), request.per_page(), request.offset()), (1, 1, 0));
        assert_eq!(PageRequest::new(3, 1_000).per_page(), 100);
    }

    #[test]
    fn an_integer_of_any_size_is_moved_into_range_and_anything_else_refused() {
        let parse = |page: &str, per_page: &str| {
            let input = PageInput { page: Some(page.to_owned()), per_page: Some(per_page.to_owned()) };
            input.parse(50).map(|request| (request.page(), request.per_page()))
        };
        assert_eq!(parse("99999999999999999999", "-1"), Ok((u32::MAX, 1)));
        assert_eq!(parse(" 2 ", "101"), Ok((2, 100)));
        assert_eq!(parse("", ""), Ok((1, 50)));
        let errors = parse("1.5", "ten").unwrap_err();
        assert_eq!(errors.iter().map(|(field, _)| field).collect::<Vec<_>>(), ["per_page", "page"]);
    }

    #[test]
    fn pages_together_are_the_whole_list() {
        let page = |number| Page::cut(0..250, PageRequest::new(number, 100));
        let all: Vec<i32> = (1..=3).flat_map(|number| page(number).items).collect();
        assert_eq!(all, (0..250).collect::<Vec<_>>());
        assert_eq!(page(1).last_page(), 3);
        assert!(page(u32::MAX).items.is_empty());
        assert_eq!(Page::cut(0..0, PageRequest::new(1, 50)).last_page(), 1);
    }
}
