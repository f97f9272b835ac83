//! The sentences about what checks of axe-core, and probes, found on an element.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;
use serde_json::Value;

use super::{fill, language::Language};
use crate::{
    domain::{AxeCheck, CheckNeed, CheckOutcome},
    locale::Locale,
};

/// Returns what a check of axe-core said about an element, with the values that its sentence contains. `data` is the data of
/// the check's result; what no sentence needs is left behind. A check that the catalogue does not know has no values.
///
/// ```
/// use a11ycheck_core::{
///     catalog::{axe_check, sentence},
///     domain::{CheckNeed, CheckOutcome},
///     locale::Locale,
/// };
///
/// let data = serde_json::json!({ "values": "button", "messageKey": "unallowed" });
/// let check = axe_check("aria-required-children", CheckNeed::Any, CheckOutcome::Fail, &data);
/// let text = sentence(&check, Locale::En).unwrap();
/// assert_eq!(text, "The element contains something that its role does not allow: `button`.");
/// ```
pub fn axe_check(id: &str, need: CheckNeed, outcome: CheckOutcome, data: &Value) -> AxeCheck {
    let check = AxeCheck::new(id, need, outcome);
    let Some(entry) = FILE.checks.get(id) else { return check };
    // axe-core chooses a message by the text itself where that is all that a check says.
    let key = data.get("messageKey").and_then(Value::as_str).or_else(|| data.as_str());
    let known = key.filter(|key| entry.messages(outcome).contains_key(*key));
    let check = known.into_iter().fold(check, AxeCheck::with_key);
    let mut names: Vec<&str> = entry.values.values().map(|value| value.from.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().fold(check, |check, name| {
        let value = match name {
            "" => Some(data),
            "values" if data.is_array() => Some(data),
            name => data.get(name),
        };
        match value.map(pieces).unwrap_or_default() {
            pieces if pieces.is_empty() => check,
            pieces => check.with_value(name, pieces),
        }
    })
}

/// Returns the sentence for what a check said about an element, with `code` in backticks. `None` if the catalogue has no such
/// message, or if a value is not known that the message contains.
pub fn sentence(check: &AxeCheck, locale: Locale) -> Option<String> {
    let entry = FILE.checks.get(&check.id)?;
    let messages = entry.messages(check.outcome);
    let key = key(check, entry, messages)?;
    let template = Language::of(locale).checks.get(&check.id)?.messages(check.outcome).get(key)?;
    let values = messages.get(key)?.iter().map(|name| {
        let ValueEntry { from, kind } = entry.values.get(name)?;
        let pieces = check.values.get(from).filter(|pieces| !pieces.is_empty())?;
        Some((name.as_str(), kind.shown(pieces, locale)))
    });
    let values: Vec<(&str, String)> = values.collect::<Option<_>>()?;
    let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    Some(fill(template, &values))
}

/// Returns whether what a check of the rule did not meet is something that axe-core could not decide about: its sentences are
/// then those of failures.
pub fn is_review_on_fail(rule: &str) -> bool {
    FILE.review_on_fail.iter().any(|known| known == rule)
}

/// Returns every message of axe-core's checks that has a sentence: the id of the check, what it said, and axe-core's key of the
/// message.
pub fn check_messages() -> impl Iterator<Item = (&'static str, CheckOutcome, &'static str)> {
    FILE.checks.iter().flat_map(|(id, entry)| {
        [CheckOutcome::Fail, CheckOutcome::Incomplete].into_iter().flat_map(move |outcome| {
            entry.messages(outcome).keys().map(move |key| (id.as_str(), outcome, key.as_str()))
        })
    })
}

/// Returns the name of the way in which a person decides what the check could not; `None` for a check that the catalogue does
/// not know.
pub(super) fn way_to_decide(check: &str) -> Option<&'static str> {
    FILE.checks.get(check)?.by_eye.as_deref()
}

/// Returns the key of the message that applies, by axe-core's own order.
fn key<'a>(check: &'a AxeCheck, entry: &CheckEntry, messages: &'a Messages) -> Option<&'a str> {
    if let Some(key) = check.key.as_deref().filter(|key| messages.contains_key(*key)) {
        return Some(plural(check, entry, messages, key).unwrap_or(key));
    }
    let by_number =
        if check.values.get("values").is_some_and(|values| values.len() > 1) { "plural" } else { "singular" };
    [by_number, "default"].into_iter().find(|key| messages.contains_key(*key))
}

/// Returns the plural of a message for one value, if there is one and the value is a list.
fn plural<'a>(check: &AxeCheck, entry: &CheckEntry, messages: &'a Messages, key: &str) -> Option<&'a str> {
    let plural = format!("{}Plural", key.strip_suffix("Singular")?);
    let (plural, names) = messages.get_key_value(&plural)?;
    let is_list = |name: &String| {
        let from = entry.values.get(name).map(|value| &value.from);
        name == "attributes" && from.and_then(|from| check.values.get(from)).is_some_and(|pieces| pieces.len() > 1)
    };
    names.iter().any(is_list).then_some(plural.as_str())
}

/// Returns the texts of a value: those of a list, or the one that there is.
fn pieces(value: &Value) -> Vec<String> {
    let scalar = |value: &Value| match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    match value {
        Value::Array(list) => list.iter().filter_map(scalar).collect(),
        one => scalar(one).into_iter().collect(),
    }
}

/// The messages of a check by axe-core's key, with the names of the values in each.
type Messages = BTreeMap<String, Vec<String>>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckFile {
    #[cfg_attr(not(test), expect(dead_code, reason = "a test compares it with the version of the rules"))]
    axe_core: String,
    review_on_fail: Vec<String>,
    checks: BTreeMap<String, CheckEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckEntry {
    #[serde(default)]
    values: BTreeMap<String, ValueEntry>,
    #[serde(default)]
    fail: Messages,
    #[serde(default)]
    incomplete: Messages,
    by_eye: Option<String>,
}

impl CheckEntry {
    const fn messages(&self, outcome: CheckOutcome) -> &Messages {
        match outcome {
            CheckOutcome::Fail => &self.fail,
            CheckOutcome::Incomplete => &self.incomplete,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ValueEntry {
    from: String,
    kind: ValueKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ValueKind {
    Colour,
    Ratio,
    FontSize,
    Number,
    Attribute,
    Element,
    Id,
    Property,
    Role,
    Selector,
    Value,
}

impl ValueKind {
    fn shown(self, pieces: &[String], locale: Locale) -> String {
        match self {
            Self::Colour => pieces.iter().map(|piece| plain(piece)).collect::<Vec<_>>().join(", "),
            Self::Ratio => format!("{}:1", span(pieces.iter().map(|piece| piece.trim_end_matches(":1")), locale)),
            Self::FontSize => span(pieces.iter().map(|piece| pixels(piece)), locale),
            Self::Number => span(pieces.iter().map(String::as_str), locale),
            Self::Attribute | Self::Element | Self::Id | Self::Property | Self::Role | Self::Selector | Self::Value => {
                let pieces: Vec<&str> = pieces.iter().flat_map(|piece| listed(piece)).collect();
                let code: Vec<String> = pieces.into_iter().map(|piece| format!("`{}`", plain(piece))).collect();
                code.join(", ")
            }
        }
    }
}

/// Returns a text of the page without what would end its code, in one line.
pub(super) fn plain(piece: &str) -> String {
    let tidy = |character: char| match character {
        '`' => '\'',
        control if control.is_control() => ' ',
        other => other,
    };
    piece.chars().map(tidy).collect()
}

/// Returns the least and the greatest of some numbers, or the one that all are.
fn span<'a>(numbers: impl Iterator<Item = &'a str>, locale: Locale) -> String {
    let value = |number: &str| number.parse::<f64>().unwrap_or(f64::NAN);
    let mut numbers: Vec<&str> = numbers.collect();
    numbers.sort_by(|one, other| value(one).total_cmp(&value(other)));
    match numbers.as_slice() {
        [first, .., last] if first != last => format!("{}–{}", decimal(first, locale), decimal(last, locale)),
        [first, ..] => decimal(first, locale),
        [] => String::new(),
    }
}

/// Returns a number as the language writes it; any other text as it is.
fn decimal(number: &str, locale: Locale) -> String {
    let is_number = number.parse::<f64>().is_ok_and(f64::is_finite);
    if is_number && locale != Locale::En { number.replace('.', ",") } else { plain(number) }
}

/// Returns the pixels of `12.0pt (16px)`; any other text as it is.
fn pixels(size: &str) -> &str {
    size.split_once('(').and_then(|(_, rest)| rest.split_once("px")).map_or(size, |(pixels, _)| pixels)
}

/// Returns the pieces of a list that axe-core has joined with commas; a comma between quotation marks joins nothing.
fn listed(piece: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut start, mut is_quoted) = (0, false);
    for (at, character) in piece.char_indices() {
        match character {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted && piece[at..].starts_with(", ") => {
                pieces.push(piece[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(piece[start..].trim());
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// The sentences about one check in one language, by axe-core's key of the message.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckTexts {
    #[serde(default)]
    fail: BTreeMap<String, String>,
    #[serde(default)]
    incomplete: BTreeMap<String, String>,
}

impl CheckTexts {
    const fn messages(&self, outcome: CheckOutcome) -> &BTreeMap<String, String> {
        match outcome {
            CheckOutcome::Fail => &self.fail,
            CheckOutcome::Incomplete => &self.incomplete,
        }
    }
}

static FILE: LazyLock<CheckFile> = LazyLock::new(|| {
    // The file is compiled in and the tests below read it: a build whose tests pass never panics here.
    toml::from_str(include_str!("../../catalog/checks.toml"))
        .unwrap_or_else(|error| panic!("catalog/checks.toml: {error}"))
});

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    fn said(id: &str, outcome: CheckOutcome, data: &Value, locale: Locale) -> Option<String> {
        sentence(&axe_check(id, CheckNeed::Any, outcome, data), locale)
    }

    #[test]
    fn every_message_of_a_check_has_a_sentence_with_its_values_in_every_language() {
        assert_eq!(FILE.axe_core, super::super::axe_core_version());
        for locale in Locale::ALL {
            let texts = &Language::of(locale).checks;
            assert_eq!(texts.keys().collect::<Vec<_>>(), FILE.checks.keys().collect::<Vec<_>>(), "{locale}");
            for (id, entry) in &FILE.checks {
                for outcome in [CheckOutcome::Fail, CheckOutcome::Incomplete] {
                    let (wanted, found) = (entry.messages(outcome), texts[id].messages(outcome));
                    assert_eq!(found.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>(), "{locale} {id}");
                    for (key, names) in wanted {
                        let asked: BTreeSet<&str> = found[key]
                            .split('{')
                            .skip(1)
                            .filter_map(|rest| rest.split_once('}'))
                            .map(|it| it.0)
                            .collect();
                        let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
                        assert_eq!(asked, names, "{locale} {id} {outcome:?} {key}");
                        assert!(names.iter().all(|name| entry.values.contains_key(*name)), "{id} {key}");
                    }
                }
            }
        }
    }

    #[test]
    fn contrast_is_said_with_both_colours_and_both_ratios() {
        let data = json!({
            "fgColor": "#73879c", "bgColor": "#ffffff", "contrastRatio": 3.69, "fontSize": "9.8pt (13px)",
            "fontWeight": "normal", "messageKey": null, "expectedContrastRatio": "4.5:1", "shadowColor": null,
        });
        let english = said("color-contrast", CheckOutcome::Fail, &data, Locale::En).unwrap();
        assert!(english.starts_with("The text #73879c on #ffffff has a contrast ratio of 3.69:1."), "{english}");
        assert!(english.contains("(13") && english.ends_with("at least 4.5:1 is needed."), "{english}");
        let german = said("color-contrast", CheckOutcome::Fail, &data, Locale::De).unwrap();
        for value in ["#73879c", "#ffffff", "3,69:1", "13", "4,5:1"] {
            assert!(german.contains(value), "{value} in {german}");
        }
        let check = axe_check("color-contrast", CheckNeed::Any, CheckOutcome::Fail, &data);
        assert!(!check.values.contains_key("fontWeight"), "no sentence needs it: {check:?}");
    }

    #[test]
    fn one_missing_role_is_said_otherwise_than_several() {
        let roles = |roles: Value| said("aria-required-children", CheckOutcome::Fail, &roles, Locale::En).unwrap();
        assert!(roles(json!(["listitem"])).ends_with("its own role requires: `listitem`."));
        assert!(roles(json!(["row", "rowgroup"])).ends_with("but there is none: `row`, `rowgroup`."));
    }

    #[test]
    fn values_of_several_elements_are_said_together() {
        let target = AxeCheck::new("target-size", CheckNeed::Any, CheckOutcome::Fail);
        let sizes =
            target.with_value("width", ["16", "9.5"]).with_value("height", ["20"]).with_value("minSize", ["24"]);
        let text = sentence(&sizes, Locale::De).unwrap();
        assert!(text.contains("9,5–16"), "{text}");
        let prohibited = AxeCheck::new("aria-prohibited-attr", CheckNeed::All, CheckOutcome::Fail);
        let prohibited = prohibited.with_key("hasRoleSingular").with_value("role", ["none"]);
        let text = |attributes: &[&str]| sentence(&prohibited.clone().with_value("prohibited", attributes), Locale::En);
        assert_eq!(text(&["aria-label"]).unwrap(), "The role `none` prohibits this attribute: `aria-label`.");
        let both = text(&["aria-label", "aria-labelledby"]).unwrap();
        assert_eq!(both, "The role `none` prohibits these attributes: `aria-label`, `aria-labelledby`.");
    }

    #[test]
    fn attributes_that_axe_core_joins_are_told_apart() {
        let data = json!({ "messageKey": "unallowed", "values": "button[tabindex], a[title=\"x, y\"]" });
        let text = said("aria-required-children", CheckOutcome::Fail, &data, Locale::En).unwrap();
        assert!(text.ends_with(": `button[tabindex]`, `a[title=\"x, y\"]`."), "{text}");
    }

    #[test]
    fn what_a_probe_found_is_said_like_what_axe_core_found() {
        let names = json!({ "label": "Search", "name": "Find, a" });
        let text = said("a11ycheck-label-in-name", CheckOutcome::Fail, &names, Locale::En).unwrap();
        assert_eq!(text, "The control shows `Search`, but its name is `Find`, `a`.");
        let text = said("a11ycheck-page-language", CheckOutcome::Incomplete, &json!("fr"), Locale::De).unwrap();
        assert!(text.contains("`fr`. Prüfen"), "{text}");
        let text =
            said("a11ycheck-table-markup", CheckOutcome::Fail, &json!({ "messageKey": "only" }), Locale::Pl).unwrap();
        assert!(text.starts_with("Każda komórka"), "{text}");
        let narrow = json!(["line-height", "word-spacing"]);
        let text = said("a11ycheck-text-spacing", CheckOutcome::Fail, &narrow, Locale::En).unwrap();
        assert!(text.ends_with(": `line-height`, `word-spacing`."), "{text}");
    }

    #[test]
    fn what_a_page_writes_does_not_leave_its_code() {
        let text = said("accesskeys", CheckOutcome::Fail, &json!("`\nx"), Locale::En).unwrap();
        assert!(text.contains("`' x`"), "{text}");
    }

    #[test]
    fn a_sentence_without_one_of_its_values_is_not_said() {
        assert_eq!(said("color-contrast", CheckOutcome::Fail, &json!({ "fgColor": "#000" }), Locale::De), None);
        assert_eq!(said("color-contrast", CheckOutcome::Fail, &Value::Null, Locale::De), None);
        assert_eq!(said("a-check-of-tomorrow", CheckOutcome::Fail, &json!([1]), Locale::De), None);
        let unknown = said("has-lang", CheckOutcome::Fail, &json!({ "messageKey": "of-tomorrow" }), Locale::De);
        assert_eq!(unknown, None, "it has no default");
    }

    #[test]
    fn what_could_not_be_decided_is_said_by_its_reason() {
        let data = json!({ "messageKey": "bgImage" });
        let text = said("color-contrast", CheckOutcome::Incomplete, &data, Locale::En).unwrap();
        assert_eq!(text, "The background is a picture, so the contrast could not be measured.");
        assert!(is_review_on_fail("bypass") && !is_review_on_fail("label"));
    }

    #[test]
    fn whatever_could_not_be_decided_has_a_way_to_decide_it() {
        for (id, entry) in FILE.checks.iter().filter(|(_, entry)| !entry.incomplete.is_empty()) {
            assert!(entry.by_eye.is_some(), "{id}");
        }
    }
}
