//! Fields of stored documents that a later release has added.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The fields of a stored document that this release does not know, exactly as they are stored. A document that is read and
/// written back carries them with `#[serde(flatten)]`, so that they are there afterwards.
///
/// Nobody can see or make them: only reading a stored document does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnknownFields(BTreeMap<String, Value>);

impl UnknownFields {
    /// None: what a document has that this release makes.
    pub const fn none() -> Self {
        Self(BTreeMap::new())
    }

    /// Adds those of `stored` that are not here.
    pub(super) fn keep(&mut self, stored: &Self) {
        for (name, value) in &stored.0 {
            self.0.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
}
