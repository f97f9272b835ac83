//! Counts and digests of records.

use std::{collections::BTreeMap, fmt};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Kind, Record, RecordSink, TransferError, lines};

/// The number of records of one kind, and a digest of them.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Total {
    /// The number of records.
    pub count: u64,
    /// The SHA-256 of the records as they are in a file, in their order.
    #[serde(with = "lines::hex")]
    pub sha256: [u8; 32],
}

impl fmt::Debug for Total {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:02x}{:02x}…)", self.count, self.sha256[0], self.sha256[1])
    }
}

/// The totals of the records that were moved, by kind. Equal totals mean equal content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Totals(BTreeMap<Kind, Total>);

impl Totals {
    /// Returns the kinds in their order, each with the number of its records, which may be 0.
    pub fn counts(&self) -> impl Iterator<Item = (Kind, u64)> {
        Kind::ALL.iter().map(|kind| (*kind, self.count(*kind)))
    }

    /// Returns the number of records of a kind.
    pub fn count(&self, kind: Kind) -> u64 {
        self.0.get(&kind).map_or(0, |total| total.count)
    }

    /// Returns the first kind in which these totals are not the others.
    pub(super) fn first_difference(&self, other: &Self) -> Option<Kind> {
        // A file of an earlier release says nothing of the kinds that it does not know: it has none of them.
        let none = Total { count: 0, sha256: Sha256::default().finalize().into() };
        let total = |totals: &Self, kind: &Kind| totals.0.get(kind).copied().unwrap_or(none);
        Kind::ALL.iter().copied().find(|kind| total(self, kind) != total(other, kind))
    }
}

/// Counts and digests records, and keeps none of them.
#[derive(Debug, Default)]
pub struct Tally {
    by_kind: BTreeMap<Kind, (u64, Sha256)>,
    buffer: Vec<u8>,
}

impl Tally {
    /// Returns the totals of the records until now.
    pub fn totals(&self) -> Totals {
        let total = |kind: &Kind| {
            let (count, digest) = self.by_kind.get(kind).cloned().unwrap_or_default();
            (*kind, Total { count, sha256: digest.finalize().into() })
        };
        Totals(Kind::ALL.iter().map(total).collect())
    }

    /// Adds a record in the form in which it is in a file.
    ///
    /// # Errors
    /// [`TransferError::Malformed`] if a record of a later kind came before it.
    pub(super) fn add(&mut self, kind: Kind, written: &[u8]) -> Result<(), TransferError> {
        if self.by_kind.last_key_value().is_some_and(|(last, _)| *last > kind) {
            return Err(self.malformed(format!("a {} comes too late", kind.as_str()).into()));
        }
        let (count, digest) = self.by_kind.entry(kind).or_default();
        *count += 1;
        digest.update(written);
        Ok(())
    }

    /// Returns the error for the record after those that were added.
    pub(super) fn malformed(&self, source: Box<dyn std::error::Error + Send + Sync>) -> TransferError {
        let added: u64 = self.by_kind.values().map(|(count, _)| count).sum();
        TransferError::Malformed { record: added + 1, source }
    }
}

#[async_trait]
impl RecordSink for Tally {
    async fn put(&mut self, record: Record) -> Result<(), TransferError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        lines::encode(&record, &mut buffer).map_err(|error| self.malformed(error.into()))?;
        self.add(record.kind(), &buffer)?;
        self.buffer = buffer;
        Ok(())
    }
}
