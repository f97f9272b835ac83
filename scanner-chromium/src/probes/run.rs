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
const FAMILIES: [&str; 12] = [
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
];
const LANGUAGE: &str = include_str!("language.js");
const JUDGE: &str = include_str!("judge.js");
const ACROSS: &str = include_str!("across.js");

/// Runs the probes over a page on which axe-core has run, and leaves what they find beside its outcome. Does nothing to the
/// page. An exception in a script costs the probes of this page, and nothing else. The probe of enhanced contrast runs only
/// where it is asked for.
///
/// # Errors
/// Those of the browser.
pub(crate) async fn run(
    tab: &Tab,
    main_world: i64,
    enhanced_contrast: bool,
    deadline: Instant,
) -> Result<(), AxeError> {
    static EVERY: LazyLock<Script> = LazyLock::new(|| script(None));
    static MOST: LazyLock<Script> = LazyLock::new(|| script(Some("a11ycheck-enhanced-contrast")));
    let probes: &Script = if enhanced_contrast { &EVERY } else { &MOST };
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

/// Returns the script that runs every probe but this one.
fn script(left_out: Option<&str>) -> Script {
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
    });
    let families = FAMILIES.join(",");
    Script::new(&format!("({RUN})({KIT}, [{families}], {LANGUAGE}, {ACROSS}, {}, {limits})", facts()))
}
