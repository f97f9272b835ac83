//! Every page as people use it: by keys, in a narrow window, with large text, in colours of their own.

use a11ycheck_account_web::{Verb, path_of, routes};
use a11ycheck_core::locale::Locale;
use a11ycheck_tests::{Browser, Tab};
use futures_util::future::join_all;
use serde_json::Value;

use crate::own_check::{every_page, served};

/// What looks at a page from within.
const LOOKS: &str = include_str!("looks.js");

/// The number of tabs that look at pages at the same time.
const TABS: usize = 3;

/// Features of media queries with their values.
type Preferences = &'static [(&'static str, &'static str)];

/// What people set up in their system.
const PREFERENCES: [(&str, Preferences); 4] = [
    ("light", &[]),
    ("dark", &[("prefers-color-scheme", "dark")]),
    ("forced colours", &[("forced-colors", "active")]),
    ("forced dark colours", &[("forced-colors", "active"), ("prefers-color-scheme", "dark")]),
];

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

/// Returns what one of the functions of `looks.js` finds; `None` where there is nothing more to find.
async fn looks(tab: &Tab<'_>, function: &str) -> Option<Vec<String>> {
    match tab.evaluate(&format!("looks.{function}()")).await {
        Value::Null => None,
        found => Some(serde_json::from_value(found).unwrap()),
    }
}

/// Goes through the page by the Tab key, from the top to the end.
async fn walked(tab: &Tab<'_>) -> Vec<String> {
    let mut found = looks(tab, "begin").await.unwrap();
    let stops = tab.evaluate("looks.stops()").await.as_u64().unwrap();
    // A date has four stops inside.
    for _ in 0..=stops + 20 {
        tab.press("Tab").await;
        match looks(tab, "step").await {
            Some(more) => found.extend(more),
            None => return found,
        }
    }
    found.push("the way has no end".to_owned());
    found
}

/// Looks at a page in the colours of people's systems.
async fn coloured(tab: &Tab<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for (how, preferences) in PREFERENCES {
        tab.prefer(preferences).await;
        for (name, value) in preferences {
            assert_eq!(tab.evaluate(&format!("matchMedia('({name}: {value})').matches")).await, true, "{how}");
        }
        found.extend(looks(tab, "pale").await.unwrap().into_iter().map(|what| format!("{how}: {what}")));
    }
    tab.prefer(&[]).await;
    found
}

/// Looks at a page whose texts take more room than usual, or have less.
async fn crowded(tab: &Tab<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let mut add = |how: &str, more: Option<Vec<String>>| {
        found.extend(more.unwrap().into_iter().map(|what| format!("{how}: {what}")));
    };
    looks(tab, "measure").await;
    for (how, function) in [
        ("as it is", "cut"),
        ("as it is", "overlaps"),
        ("spaced", "space"),
        ("spaced", "cut"),
        ("spaced", "overlaps"),
        ("spaced", "unspace"),
    ] {
        add(how, looks(tab, function).await);
    }
    tab.enlarge_text(200).await;
    for function in ["enlarged", "cut", "overlaps"] {
        add("text at 200 %", looks(tab, function).await);
    }
    tab.enlarge_text(100).await;
    tab.zoom(320, 256, 4).await;
    for function in ["cut", "overlaps"] {
        add("at 320 px", looks(tab, function).await);
    }
    tab.resize(1280, 800).await;
    found
}

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
                tab.evaluate(LOOKS).await;
                let mut of_page = crowded(&tab).await;
                // The longest texts and the narrowest window are those of one language or another; colours are the same in all.
                if number == 0 {
                    of_page.extend(coloured(&tab).await);
                }
                // What keys do does not depend on the language; what shows the focus depends on the colours.
                if let Some((how, preferences)) = PREFERENCES.get(number) {
                    tab.prefer(preferences).await;
                    of_page.extend(walked(&tab).await.into_iter().map(|what| format!("by keys, {how}: {what}")));
                    tab.prefer(&[]).await;
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
