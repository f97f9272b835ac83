//! What keeps people from using a page of ours: those who press keys, enlarge it, or have colours of their own.

use serde_json::Value;

use crate::Tab;

/// What looks at a page from within.
const LOOKS: &str = include_str!("looks.js");

/// Features of media queries with their values.
pub type Preferences = &'static [(&'static str, &'static str)];

/// What people set up in their systems, each with a name.
pub const PREFERENCES: [(&str, Preferences); 4] = [
    ("light", &[]),
    ("dark", &[("prefers-color-scheme", "dark")]),
    ("forced colours", &[("forced-colors", "active")]),
    ("forced dark colours", &[("forced-colors", "active"), ("prefers-color-scheme", "dark")]),
];

/// A page that is looked at in many ways. Each way returns sentences that say what is wrong, and leaves the tab as it was.
#[derive(Debug)]
pub struct Faults<'tab> {
    tab: &'tab Tab<'tab>,
}

impl<'tab> Faults<'tab> {
    /// Looks at the page that a tab shows.
    pub async fn of(tab: &'tab Tab<'tab>) -> Self {
        tab.evaluate(LOOKS).await;
        Self { tab }
    }

    /// Returns what one of the functions of `looks.js` finds; `None` where there is nothing more to find.
    async fn looks(&self, function: &str) -> Option<Vec<String>> {
        match self.tab.evaluate(&format!("looks.{function}()")).await {
            Value::Null => None,
            found => Some(serde_json::from_value(found).unwrap()),
        }
    }

    /// Goes through the page by the Tab key, from the link that skips the navigation to the end, with these preferences: each stop is
    /// reached once and in order, in sight, and shows that it has the focus.
    pub async fn by_keys(&self, (how, preferences): (&str, Preferences)) -> Vec<String> {
        self.tab.prefer(preferences).await;
        let found = self.walked().await.into_iter().map(|what| format!("by keys, {how}: {what}")).collect();
        self.tab.prefer(&[]).await;
        found
    }

    async fn walked(&self) -> Vec<String> {
        let mut found = self.looks("begin").await.unwrap();
        let stops = self.tab.evaluate("looks.stops()").await.as_u64().unwrap();
        // A date has four stops inside.
        for _ in 0..=stops + 20 {
            self.tab.press("Tab").await;
            match self.looks("step").await {
                Some(more) => found.extend(more),
                None => return found,
            }
        }
        found.push("the way has no end".to_owned());
        found
    }

    /// Looks at the page in all colours: texts, borders of controls and charts stand out.
    pub async fn in_colours(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (how, preferences) in PREFERENCES {
            self.tab.prefer(preferences).await;
            for (name, value) in preferences {
                let is_so = self.tab.evaluate(&format!("matchMedia('({name}: {value})').matches")).await;
                assert_eq!(is_so, true, "{how}");
            }
            found.extend(self.looks("pale").await.unwrap().into_iter().map(|what| format!("{how}: {what}")));
        }
        self.tab.prefer(&[]).await;
        found
    }

    /// Looks at the page where its texts take more room than usual, or have less: with the spacing of WCAG 1.4.12, at 200 %, and in a
    /// window of 320 pixels, which is one of 1,280 at 400 %. Nothing is cut off, lies over something else or scrolls sideways, but
    /// tables in regions of their own.
    pub async fn when_crowded(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut add = |how: &str, more: Option<Vec<String>>| {
            found.extend(more.unwrap().into_iter().map(|what| format!("{how}: {what}")));
        };
        for (how, functions) in
            [("as it is", &["measure", "cut", "overlaps"]), ("spaced", &["space", "cut", "overlaps"])]
        {
            for function in functions {
                add(how, self.looks(function).await);
            }
        }
        self.looks("unspace").await;
        self.tab.enlarge_text(200).await;
        for function in ["enlarged", "cut", "overlaps"] {
            add("text at 200 %", self.looks(function).await);
        }
        self.tab.enlarge_text(100).await;
        self.tab.zoom(320, 256, 4).await;
        for function in ["cut", "overlaps"] {
            add("at 320 px", self.looks(function).await);
        }
        self.tab.resize(1280, 800).await;
        found
    }
}
