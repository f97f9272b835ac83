//! Every page as people use it: by keys, in a narrow window, with large text, in colours of their own.

use a11ycheck_account_web::{Verb, path_of, routes};
use a11ycheck_core::locale::Locale;
use a11ycheck_tests::{Browser, Faults, PREFERENCES};
use futures_util::future::join_all;

use crate::own_check::{every_page, served};

/// The number of tabs that look at pages at the same time.
const TABS: usize = 3;

/// Routes that lead to a file, to another page, or out of the house.
const NO_PAGES: [&str; 11] = [
    "",
    "/assets/{name}",
    "/sign-in/code",
    "/sign-in/provider",
    "/sign-in/provider/answer",
    "/teams/{team}",
    "/teams/{team}/export-sites",
    "/teams/{team}/checks/{check}/progress",
    "/teams/{team}/checks/{check}/pictures/{picture}",
    "/teams/{team}/checks/{check}/files/{file}",
    "/teams/{team}/brand/logo",
];

#[tokio::test(flavor = "multi_thread")]
async fn every_page_is_usable_by_keys_narrow_enlarged_and_in_colours_of_ones_own() {
    let mut every = every_page().await;
    let browser = Browser::start().await;
    let mut found = Vec::new();
    for (number, locale) in Locale::ALL.into_iter().enumerate() {
        let pages = every.in_language(locale).await;
        let (site, paths) = served(&pages, &every.script, locale).await;
        let all: Vec<_> = pages.iter().map(|(name, _)| name).zip(paths.iter().map(|path| site.url(path))).collect();
        let looked_at = all.chunks(all.len().div_ceil(TABS)).map(async |pages| {
            let tab = browser.tab().await;
            let mut found = Vec::new();
            for (name, url) in pages {
                tab.open(url).await;
                let faults = Faults::of(&tab).await;
                let mut of_page = faults.when_crowded().await;
                // The longest texts are those of one language or another; colours are the same in all.
                if number == 0 {
                    of_page.extend(faults.in_colours().await);
                }
                // What keys do does not depend on the language; what shows the focus depends on the colours.
                if let Some(preferences) = PREFERENCES.get(number) {
                    of_page.extend(faults.by_keys(*preferences).await);
                }
                found.extend(of_page.into_iter().map(|what| format!("{locale}: {name}: {what}")));
            }
            found
        });
        found.extend(join_all(looked_at).await.concat());
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    let opened: Vec<_> = every.opened.iter().filter_map(|path| path_of(path.strip_prefix("/app")?)).collect();
    for route in routes().iter().filter(|route| route.verb == Verb::Get && !NO_PAGES.contains(&route.path)) {
        assert!(opened.contains(&route.path), "no page of {} was looked at", route.path);
    }
}
