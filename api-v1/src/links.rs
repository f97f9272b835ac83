//! The addresses that the service gives out.

use a11ycheck_core::{
    domain::BaseUrl,
    id::{ScanId, SiteId},
};

/// Makes the addresses that answers and events carry, below the base address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Links {
    base: String,
}

impl Links {
    /// Makes links below this address.
    pub fn new(base: &BaseUrl) -> Self {
        Self { base: base.as_str().to_owned() }
    }

    /// Returns the base address, without a slash at its end.
    pub fn base(&self) -> &str {
        &self.base
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

    /// `{base_url}/scans/{scan}/evidence/page/{number}`
    pub fn page_picture(&self, scan: ScanId, number: u64) -> String {
        format!("{}/evidence/page/{number}", self.scan(scan))
    }

    /// `{base_url}/scans/{scan}/evidence/screen`
    pub fn screen(&self, scan: ScanId) -> String {
        format!("{}/evidence/screen", self.scan(scan))
    }
}
