//! The pages of a scan that are named beforehand.

use std::{collections::HashSet, sync::Arc};

use url::Url;

use crate::domain::{SiteUrl, SiteUrlError, page_address};

/// The reason why addresses are not a list of pages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PageListError {
    /// There is no address.
    #[error("no page is named")]
    Empty,
    /// There are more addresses than [`PageList::MAX`].
    #[error("more than {} pages are named", PageList::MAX)]
    TooMany,
    /// An address is not that of a page.
    #[error("`{address}` is not the address of a page")]
    Address {
        /// The address.
        address: String,
        /// The reason why it is none.
        source: SiteUrlError,
    },
}

/// Pages that are checked once each, in this order: at least one, at most [`PageList::MAX`]. Clones share the list.
///
/// Addresses are as [`page_address`] returns them, so a view of an application (`#/about`) is a page of its own, and an
/// anchor is not. Of equal addresses, the first counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageList(Arc<[Url]>);

impl PageList {
    /// The greatest number of pages of one list.
    pub const MAX: usize = 10_000;

    /// Makes a list of these addresses.
    ///
    /// # Errors
    /// [`PageListError`] for an address that [`SiteUrl`] does not accept, for an empty list, and for one that is too long.
    pub fn new(pages: impl IntoIterator<Item = Url>) -> Result<Self, PageListError> {
        let mut seen = HashSet::new();
        let mut list = Vec::new();
        for page in pages {
            if let Err(source) = SiteUrl::parse(page.as_str()) {
                return Err(PageListError::Address { address: page.into(), source });
            }
            let page = page_address(&page);
            if seen.insert(page.clone()) {
                list.push(page);
            }
            if list.len() > Self::MAX {
                return Err(PageListError::TooMany);
            }
        }
        if list.is_empty() { Err(PageListError::Empty) } else { Ok(Self(list.into())) }
    }

    /// Returns the addresses.
    pub fn as_slice(&self) -> &[Url] {
        &self.0
    }

    /// Returns the first page as the address of a site, without the view of an application.
    pub(super) fn start(&self) -> SiteUrl {
        let first = self.0.first().and_then(|page| SiteUrl::parse(page.as_str()).ok());
        first.unwrap_or_else(|| unreachable!("a list has at least one page, and each is the address of a site"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(pages: &[&str]) -> Result<PageList, PageListError> {
        PageList::new(pages.iter().map(|page| Url::parse(page).unwrap()))
    }

    #[test]
    fn each_page_is_named_once_and_the_order_stays() {
        let named =
            ["https://b.example/x#top", "https://a.example/", "https://b.example/x", "https://a.example/#/view"];
        let pages = list(&named).unwrap();
        let shown: Vec<&str> = pages.as_slice().iter().map(Url::as_str).collect();
        assert_eq!(shown, ["https://b.example/x", "https://a.example/", "https://a.example/#/view"]);
        assert_eq!(pages.start().as_str(), "https://b.example/x");
    }

    #[test]
    fn what_is_no_page_makes_no_list() {
        assert_eq!(list(&[]), Err(PageListError::Empty));
        for address in ["ftp://a.example/", "https://me:secret@a.example/", "data:text/html,x"] {
            assert!(matches!(list(&[address]), Err(PageListError::Address { .. })), "{address}");
        }
        let many = (0..=PageList::MAX).map(|id| Url::parse(&format!("https://a.example/{id}")).unwrap());
        assert_eq!(PageList::new(many), Err(PageListError::TooMany));
    }
}
