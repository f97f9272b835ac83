//! Fields of stored documents that a later release has added.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The fields of a stored document that this release does not know, exactly as they are stored. A document with this
/// type as a `#[serde(flatten)]` field keeps them when it is read and written back.
///
/// They can be neither read nor made outside of this module, except by deserialising a stored document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnknownFields(BTreeMap<String, Value>);

impl UnknownFields {
    /// Returns no fields, for a document that this release makes.
    pub const fn none() -> Self {
        Self(BTreeMap::new())
    }

    /// Returns the fields with their names, in the order of the names.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Adds the fields of `stored` that are missing here.
    pub(super) fn keep(&mut self, stored: &Self) {
        for (name, value) in &stored.0 {
            self.0.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
}
