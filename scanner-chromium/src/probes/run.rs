//! The run of the probes in a page.

use std::sync::LazyLock;

use serde_json::json;
use tokio::time::Instant;

use super::{
    facts::facts,
    language::{Claimed, Verdict, judge},
};
use crate::{
    axe::AxeError,
    browser::{Outcome, Script, Tab, evaluate},
};

const RUN: &str = include_str!("run.js");
const KIT: &str = include_str!("kit.js");
const FAMILIES: [&str; 15] = [
    include_str!("words.js"),
    include_str!("names.js"),
    include_str!("links.js"),
    include_str!("forms.js"),
    include_str!("tables.js"),
    include_str!("structure.js"),
    include_str!("media.js"),
    include_str!("layout.js"),
    include_str!("looks.js"),
    include_str!("contrast.js"),
    include_str!("motion.js"),
    include_str!("order.js"),
    include_str!("letters.js"),
    include_str!("handlers.js"),
    include_str!("pointer.js"),
];
const LANGUAGE: &str = include_str!("language.js");
const JUDGE: &str = include_str!("judge.js");
const ACROSS: &str = include_str!("across.js");

/// What the probes of a check depend on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Conditions {
    /// True if the probe of enhanced contrast runs.
    pub(crate) enhanced_contrast: bool,
    /// True if the browser lets sound begin by itself.
    pub(crate) listens: bool,
}

/// Runs the probes over a page on which axe-core has run, and leaves what they find beside its outcome. Does nothing to the
/// page. An exception in a script costs the probes of this page, and nothing else. The probe of enhanced contrast runs only
/// where it is asked for.
///
/// # Errors
/// Those of the browser.
pub(crate) async fn run(tab: &Tab, main_world: i64, conditions: Conditions, deadline: Instant) -> Result<(), AxeError> {
    static SCRIPTS: [LazyLock<Script>; 4] = [
        LazyLock::new(|| script(Conditions { enhanced_contrast: false, listens: false })),
        LazyLock::new(|| script(Conditions { enhanced_contrast: false, listens: true })),
        LazyLock::new(|| script(Conditions { enhanced_contrast: true, listens: false })),
        LazyLock::new(|| script(Conditions { enhanced_contrast: true, listens: true })),
    ];
    let Conditions { enhanced_contrast, listens } = conditions;
    let probes: &Script = &SCRIPTS[usize::from(enhanced_contrast) * 2 + usize::from(listens)];
    let evaluated = evaluate(tab, main_world, probes, Outcome::Value, deadline).await?;
    if let Some(exception) = evaluated.exception() {
        tracing::warn!(exception, "The probes failed on a page");
        return Ok(());
    }
    let texts: Vec<Claimed> = evaluated.json()?;
    if texts.is_empty() {
        return Ok(());
    }
    let verdicts: Vec<_> = texts.iter().map(judge).collect();
    // On most pages, all texts are in the language that the page says.
    if !verdicts.iter().flatten().any(Verdict::accuses) {
        return Ok(());
    }
    let expression = format!("({JUDGE})({})", json!(verdicts));
    let evaluated = evaluate(tab, main_world, &expression, Outcome::Value, deadline).await?;
    if let Some(exception) = evaluated.exception() {
        tracing::warn!(exception, "The languages of a page could not be judged");
    }
    Ok(())
}

/// Returns the script that runs the probes.
fn script(Conditions { enhanced_contrast, listens }: Conditions) -> Script {
    let left_out = (!enhanced_contrast).then_some("a11ycheck-enhanced-contrast");
    let limits = json!({
        // The elements of one probe, those among them that may be kept, and the time in milliseconds after which no other
        // probe begins.
        "nodes": 500,
        "kept": 50,
        "time": 3_000,
        // The characters of a text whose language is detected.
        "text": 3_000,
        // The greatest numbers of blocks that pages may share, of links and controls in all of them, and of characters
        // of texts.
        "shared": { "blocks": 12, "items": 200, "name": 100, "key": 500, "selector": 300, "source": 300 },
        "leftOut": left_out,
        "listens": listens,
    });
    let families = FAMILIES.join(",");
    Script::new(&format!("({RUN})({KIT}, [{families}], {LANGUAGE}, {ACROSS}, {}, {limits})", facts()))
}
