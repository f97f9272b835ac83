//! The addresses that the service gives out.

use url::Url;

use crate::id::{ScanId, SiteId};

/// Makes the addresses that answers and events carry, below the base address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Links {
    base: String,
}

impl Links {
    /// Links below `base_url`, which is an `http` or `https` address that ends with the version segment `v1`.
    pub(crate) fn new(base_url: &str) -> Option<Self> {
        let base = base_url.trim_end_matches('/');
        let url = Url::parse(base).ok()?;
        let is_base = matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.query().is_none()
            && url.fragment().is_none()
            && url.path_segments().and_then(|mut segments| segments.next_back()) == Some("v1");
        is_base.then(|| Self { base: base.to_owned() })
    }

    /// The base address, without a slash at its end.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The base address as it can stand in a header: an international name in its ASCII form.
    pub(crate) fn base_in_ascii(&self) -> String {
        Url::parse(&self.base).map(String::from).unwrap_or_default()
    }

    /// `{base_url}/sites`
    pub fn sites(&self) -> String {
        format!("{}/sites", self.base)
    }

    /// `{base_url}/sites/{site}/scans`
    pub fn site_scans(&self, site: SiteId) -> String {
        format!("{}/sites/{site}/scans", self.base)
    }

    /// `{base_url}/scans/{scan}`
    pub fn scan(&self, scan: ScanId) -> String {
        format!("{}/scans/{scan}", self.base)
    }

    /// `{base_url}/scans/{scan}/report`
    pub fn report(&self, scan: ScanId) -> String {
        format!("{}/report", self.scan(scan))
    }

    /// `{base_url}/scans/{scan}/pdf`
    pub fn pdf(&self, scan: ScanId) -> String {
        format!("{}/pdf", self.scan(scan))
    }

    /// `{base_url}/scans/{scan}/export?format={format}`
    pub fn export(&self, scan: ScanId, format: &str) -> String {
        format!("{}/export?format={format}", self.scan(scan))
    }

    /// `{base_url}/scans/{scan}/acr`
    pub fn acr(&self, scan: ScanId) -> String {
        format!("{}/acr", self.scan(scan))
    }

    /// `{base_url}/scans/{scan}/evidence/issue/{id}`
    pub fn evidence(&self, scan: ScanId, issue: u64) -> String {
        format!("{}/evidence/issue/{issue}", self.scan(scan))
    }

    /// `{base_url}/scans/{scan}/evidence/screen`
    pub fn screen(&self, scan: ScanId) -> String {
        format!("{}/evidence/screen", self.scan(scan))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_address_ends_with_the_version() {
        assert_eq!(Links::new("https://a11y.example/api/v1/").unwrap().base(), "https://a11y.example/api/v1");
        for text in [
            "https://a11y.example",
            "ftp://a.example/v1",
            "a.example/v1",
            "https://a.example/v1?x=1",
            "https://a.example/v10",
        ] {
            assert_eq!(Links::new(text), None, "{text}");
        }
    }
}
