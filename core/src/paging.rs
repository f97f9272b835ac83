//! Pages of lists, and requests for them.

/// A request for a page of a list. Values out of range are moved to the nearest permitted one (contract §1.9, decision 0006).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    page: u32,
    per_page: u32,
}

impl PageRequest {
    /// The most items that a page holds (contract §14).
    pub const MAX_PER_PAGE: u32 = 100;

    /// Returns a request for page number `page`, counted from 1, of `per_page` items, 1 to [`MAX_PER_PAGE`](Self::MAX_PER_PAGE).
    pub fn new(page: u32, per_page: u32) -> Self {
        Self { page: page.max(1), per_page: per_page.clamp(1, Self::MAX_PER_PAGE) }
    }

    /// Returns the page's number, at least 1.
    pub const fn page(self) -> u32 {
        self.page
    }

    /// Returns the number of items that a page holds.
    pub const fn per_page(self) -> u32 {
        self.per_page
    }

    /// Returns the number of items before this page.
    pub const fn offset(self) -> u64 {
        (self.page as u64 - 1) * self.per_page as u64
    }
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The request for this page.
    pub request: PageRequest,
    /// The items; empty beyond the end.
    pub items: Vec<T>,
    /// The number of items of the whole list.
    pub total: u64,
}

impl<T> Page<T> {
    /// Cuts a page out of a whole list.
    pub fn cut(all: impl ExactSizeIterator<Item = T>, request: PageRequest) -> Self {
        let total = all.len() as u64;
        let offset = usize::try_from(request.offset()).unwrap_or(usize::MAX);
        Self { request, items: all.skip(offset).take(request.per_page as usize).collect(), total }
    }

    /// Returns the number of the last page; 1 for an empty list.
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
    fn pages_together_are_the_whole_list() {
        let page = |number| Page::cut(0..250, PageRequest::new(number, 100));
        let all: Vec<i32> = (1..=3).flat_map(|number| page(number).items).collect();
        assert_eq!(all, (0..250).collect::<Vec<_>>());
        assert_eq!(page(1).last_page(), 3);
        assert!(page(u32::MAX).items.is_empty());
        assert_eq!(Page::cut(0..0, PageRequest::new(1, 50)).last_page(), 1);
    }
}
