//! The report about the machine for operators.

use a11ycheck_scanner_chromium::ChromiumError;

use crate::support::{browser_program, config};

#[tokio::test(flavor = "multi_thread")]
async fn operators_learn_what_there_is_and_which_fonts_pages_are_drawn_with() {
    let found = config().with_browser(browser_program()).examine().await;
    let (browser, axe) = (found.browser.unwrap(), found.axe.unwrap());
    assert_eq!(browser.program, browser_program());
    assert!(browser.version.starts_with("Chromium 1"), "{}", browser.version);
    assert!(axe.version.starts_with("4.14.") && axe.script.is_file(), "{axe:?}");
    found.authorities.unwrap();
    // The installed fonts depend on the machine, but there must be some.
    assert!(!browser.fonts.is_empty(), "{}", browser.fonts);
    assert!(browser.fonts.drawn.iter().any(|(asked, _)| *asked == "sans-serif"), "{}", browser.fonts);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_thing_that_is_missing_hides_no_other() {
    let found = config().with_browser("/bin/false").with_axe("/nowhere/axe.min.js").examine().await;
    assert!(matches!(found.browser, Err(ChromiumError::Browser(_))), "{:?}", found.browser);
    assert!(matches!(found.axe, Err(ChromiumError::AxeUnreadable { .. })), "{:?}", found.axe);
    found.authorities.unwrap();
}
