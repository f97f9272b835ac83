//! The suite that every scanner passes.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

use std::time::Duration;

use a11ycheck_core::net::AddressPolicy;
use a11ycheck_scanner_chromium::{ChromiumConfig, ChromiumScanner};
use a11ycheck_storage_testkit::{ScannerFactory, TestSite};
use async_trait::async_trait;

struct ChromiumScanners;

#[async_trait]
impl ScannerFactory for ChromiumScanners {
    type Scanner = ChromiumScanner;

    async fn scanner(&self, _: &[&TestSite]) -> ChromiumScanner {
        let policy = AddressPolicy::builder().allow_network("127.0.0.1/32".parse().unwrap()).build();
        ChromiumScanner::new(ChromiumConfig::new(policy).with_page_timeout(Duration::from_secs(60))).unwrap()
    }

    async fn close(&self, scanner: &ChromiumScanner) {
        scanner.close().await;
    }
}

a11ycheck_storage_testkit::scanner_suite!(ChromiumScanners);
