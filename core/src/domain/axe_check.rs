//! What axe-core's checks said about an element: the facts from which a sentence is made in any language.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{bounded, masked_selector, masked_text};

/// A check of axe-core that an element did not meet, or that could not decide about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct AxeCheck {
    /// The id of the check, for example `has-alt`. At most [`AxeCheck::MAX_NAME`] characters.
    pub id: String,
    /// Whether the element needs this check or only one of several.
    #[serde(default)]
    pub need: CheckNeed,
    /// Which of the check's messages apply.
    #[serde(default)]
    pub outcome: CheckOutcome,
    /// axe-core's key of the message, for checks that have several. At most [`AxeCheck::MAX_NAME`] characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What the message contains, by axe-core's name of the value; the name is empty where the check has just one value.
    /// At most [`AxeCheck::MAX_VALUES`] values of at most [`AxeCheck::MAX_PIECES`] pieces. Hostile text.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, Vec<String>>,
}

/// How an element's checks work together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase", from = "String")]
#[non_exhaustive]
pub enum CheckNeed {
    /// It is enough that one of the element's checks of this kind is met.
    Any,
    /// Every check of this kind has to be met.
    #[default]
    All,
}

/// What a check said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase", from = "String")]
#[non_exhaustive]
pub enum CheckOutcome {
    /// The check is not met.
    #[default]
    Fail,
    /// The check could not decide.
    Incomplete,
}

impl From<String> for CheckNeed {
    /// Returns the stored kind; a word of a later release asks for no less than every check.
    fn from(word: String) -> Self {
        if word == "any" { Self::Any } else { Self::All }
    }
}

impl From<String> for CheckOutcome {
    /// Returns the stored outcome; a word of a later release claims no failure.
    fn from(word: String) -> Self {
        if word == "fail" { Self::Fail } else { Self::Incomplete }
    }
}

impl AxeCheck {
    /// The greatest number of checks that are kept for one element.
    pub const MAX_PER_ELEMENT: usize = 12;
    /// The greatest number of characters of an id, a key or the name of a value.
    pub const MAX_NAME: usize = 64;
    /// The greatest number of values of one check.
    pub const MAX_VALUES: usize = 8;
    /// The greatest number of pieces of one value.
    pub const MAX_PIECES: usize = 10;
    /// The greatest number of characters of one piece.
    pub const MAX_PIECE: usize = 200;

    /// Returns what the check with this id said, without key and values.
    pub fn new(id: &str, need: CheckNeed, outcome: CheckOutcome) -> Self {
        Self { id: bounded(id, Self::MAX_NAME), need, outcome, key: None, values: BTreeMap::new() }
    }

    /// Sets axe-core's key of the message.
    #[must_use]
    pub fn with_key(self, key: &str) -> Self {
        Self { key: Some(bounded(key, Self::MAX_NAME)), ..self }
    }

    /// Adds a value. Personal data in it is masked, and what is above the bounds is left out.
    #[must_use]
    pub fn with_value(mut self, name: &str, pieces: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        if self.values.len() < Self::MAX_VALUES {
            let kept = |piece: &str| bounded(&masked_selector(&masked_text(piece)), Self::MAX_PIECE);
            let pieces = pieces.into_iter().take(Self::MAX_PIECES).map(|piece| kept(piece.as_ref()));
            self.values.insert(bounded(name, Self::MAX_NAME), pieces.collect());
        }
        self
    }

    /// Returns whether two elements have the same reason: the same message of the same check, whatever its values are.
    pub fn is_same_reason(&self, other: &Self) -> bool {
        (&self.id, self.outcome, &self.key) == (&other.id, other.outcome, &other.key)
    }
}

/// Why axe-core could not decide about elements of a rule, and how many elements that concerns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct UndecidedReason {
    /// The id of the check. At most [`AxeCheck::MAX_NAME`] characters.
    pub check: String,
    /// axe-core's key of the message, for checks that have several. At most [`AxeCheck::MAX_NAME`] characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The number of elements, including those that are not kept.
    pub count: u32,
}

impl UndecidedReason {
    /// The greatest number of reasons of one rule.
    pub const MAX_PER_RULE: usize = 20;

    /// Returns the reason with the message of this key of this check, for `count` elements.
    pub fn new(check: &str, key: Option<&str>, count: u32) -> Self {
        let name = |name: &str| bounded(name, AxeCheck::MAX_NAME);
        Self { check: name(check), key: key.map(name), count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_value_tells_of_people_is_not_kept_and_its_size_is_bounded() {
        let check = AxeCheck::new("only-listitems", CheckNeed::All, CheckOutcome::Fail)
            .with_value("values", [r#"a[data-session="s3cr3t"]"#, "jane@example.org", r#"aria-expanded="maybe""#])
            .with_value("long", ["ж".repeat(500)]);
        assert_eq!(check.values["values"], [r#"a[data-session="***"]"#, "***", r#"aria-expanded="maybe""#]);
        assert_eq!(check.values["long"][0].chars().count(), AxeCheck::MAX_PIECE);
        let many = check.with_value("many", vec!["x"; 50]);
        assert_eq!(many.values["many"].len(), AxeCheck::MAX_PIECES);
        let full = (0..50).fold(many, |check, number| check.with_value(&number.to_string(), ["x"]));
        assert_eq!(full.values.len(), AxeCheck::MAX_VALUES);
    }

    #[test]
    fn a_check_is_stored_without_what_it_does_not_have() {
        let check = AxeCheck::new("has-alt", CheckNeed::Any, CheckOutcome::Fail);
        let stored = serde_json::to_string(&check).unwrap();
        assert_eq!(stored, r#"{"id":"has-alt","need":"any","outcome":"fail"}"#);
        assert_eq!(serde_json::from_str::<AxeCheck>(&stored).unwrap(), check);
        let later = r#"{"id":"has-alt","need":"most","outcome":"doubtful"}"#;
        let read: AxeCheck = serde_json::from_str(later).unwrap();
        assert_eq!((read.need, read.outcome), (CheckNeed::All, CheckOutcome::Incomplete));
    }
}
