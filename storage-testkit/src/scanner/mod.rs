//! The suite for scanners.

mod cases;
mod site;

use a11ycheck_core::scanner::Scanner;
use async_trait::async_trait;
use tokio::runtime::Builder;

pub use self::site::{TestPage, TestSite};

/// Makes scanners to be tested.
#[async_trait]
pub trait ScannerFactory: Send + Sync {
    /// The type that is tested.
    type Scanner: Scanner;

    /// Makes a scanner that may reach 127.0.0.1, at any port. `sites` are those that the case will have it check, in
    /// this order; a scanner that opens pages need not look at them, one that plays scripts makes its scripts of them.
    ///
    /// # Panics
    /// Panics if there can be none: a missing browser is a failure that names the command that installs it, never a
    /// silent skip.
    async fn scanner(&self, sites: &[&TestSite]) -> Self::Scanner;

    /// Ends a scanner whose case is over.
    async fn close(&self, scanner: &Self::Scanner) {
        let _ = scanner;
    }
}

/// Makes one `#[test]` of every promise of [`Scanner`](a11ycheck_core::Scanner), for the scanners of this
/// [`ScannerFactory`](crate::ScannerFactory): an expression that is evaluated for each case.
///
/// With this crate among the dev-dependencies, the whole test file is this:
///
/// ```
/// use a11ycheck_core::scanner::{Script, ScriptedScanner};
/// use a11ycheck_storage_testkit::{ScannerFactory, TestSite};
/// use async_trait::async_trait;
///
/// struct OwnScanners;
///
/// #[async_trait]
/// impl ScannerFactory for OwnScanners {
///     type Scanner = ScriptedScanner;
///
///     async fn scanner(&self, sites: &[&TestSite]) -> ScriptedScanner {
///         // A scanner that opens pages need not look at the sites: it is only allowed to reach 127.0.0.1.
///         ScriptedScanner::new(sites.iter().map(|site| Script::page(&site.url("/"))))
///     }
/// }
///
/// a11ycheck_storage_testkit::scanner_suite!(OwnScanners);
/// ```
#[macro_export]
macro_rules! scanner_suite {
    ($factory:expr) => {
        $crate::scanner_suite! { @cases tests ($factory) }
    };
    // The only list of cases, as for stores.
    (@cases $made:ident $arguments:tt) => {
        $crate::scanner_suite! {
            @$made $arguments
            a_scanner_that_could_begin_is_ready,
            the_start_page_is_checked_and_comes_first,
            a_page_without_problems_has_none,
            an_element_that_fails_is_found_on_its_page_with_facts_of_its_rule,
            no_more_pages_are_visited_than_were_asked_for,
            progress_grows_up_to_the_number_of_pages,
            all_pages_found_are_done_in_the_end,
            a_start_page_that_cannot_be_checked_is_a_failure_with_its_reason,
            a_page_that_cannot_be_checked_costs_itself,
            exact_pages_are_each_listed_once_in_the_given_order_and_no_link_is_followed,
            exact_pages_that_cannot_be_checked_are_listed_with_their_errors,
            a_cancelled_scan_ends_as_cancelled,
            scans_run_side_by_side_and_keep_their_findings_apart,
            long_and_odd_texts_of_a_page_are_bounded,
            rules_that_found_something_are_among_those_that_ran,
            an_unchanged_site_gives_the_same_findings_again,
        }
    };
    (@tests ($factory:expr) $($case:ident,)*) => {
        $(
            #[test]
            fn $case() {
                $crate::run_scanner_case(&$factory, stringify!($case));
            }
        )*
    };
    (@run ($factory:ident, $name:ident) $($case:ident,)*) => {
        match $name {
            $(stringify!($case) => cases::$case($factory).await,)*
            _ => panic!("there is no case {}", $name),
        }
    };
}

/// Runs a case by its name, in a runtime of its own.
///
/// # Panics
/// Panics if the promise is broken, or if there is no such case.
#[doc(hidden)]
pub fn run_scanner_case(factory: &impl ScannerFactory, case: &str) {
    let runtime = Builder::new_multi_thread().worker_threads(4).enable_all().build();
    runtime.unwrap().block_on(async {
        crate::scanner_suite! { @cases run (factory, case) }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use a11ycheck_core::{
        domain::{Failure, FailureCode, Impact},
        scanner::{Script, ScriptedScanner},
    };
    use tokio::sync::Semaphore;

    use super::*;

    struct ScriptedScanners;

    /// Returns the script of the results that a scanner would get from the site.
    fn script(site: &TestSite) -> Script {
        let missing = || Failure::new(FailureCode::HttpStatus, "The web server answered with error status 404.");
        let [home, others @ ..] = site.pages() else { unreachable!("a site has a start page") };
        let begin = |home: &TestPage| match home.status {
            Some(200) => with_failing(Script::page(&site.url("/")), home),
            Some(_) => Script::failing(missing()),
            None => Script::page(&site.url("/")).held_by(&Arc::new(Semaphore::new(0))),
        };
        others.iter().fold(begin(home), |script, page| match page.status {
            Some(200) => with_failing(script.and_page(&site.url(page.path)), page),
            _ => script.and_failed_page(&site.url(page.path), missing()),
        })
    }

    fn with_failing(script: Script, page: &TestPage) -> Script {
        page.failing.iter().fold(script, |script, id| {
            let html = format!(r#"<img id="{id}" src="data:,">"#);
            script.with_problem("image-alt", Impact::Critical, &format!("#{id}"), &html)
        })
    }

    #[async_trait]
    impl ScannerFactory for ScriptedScanners {
        type Scanner = ScriptedScanner;

        async fn scanner(&self, sites: &[&TestSite]) -> ScriptedScanner {
            ScriptedScanner::new(sites.iter().map(|site| script(site)))
        }
    }

    crate::scanner_suite!(ScriptedScanners);
}
