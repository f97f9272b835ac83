//! Findings that are opened for what pages need of them.

use std::sync::Arc;

use super::{StoreError, runs::Runs};
use crate::{
    domain::{Finding, Findings},
    ranking::Extract,
};

/// The findings of a completed check, which never change. Their [extract](Extract) is in memory, and elements are read
/// by their numbers.
#[derive(Debug, Clone)]
pub struct OpenFindings {
    extract: Arc<Extract>,
    elements: Elements,
}

/// The source from which the elements that fail are read.
#[derive(Clone)]
enum Elements {
    Whole(Arc<Findings>),
    Packed(Arc<(Vec<u8>, Runs)>),
}

impl std::fmt::Debug for Elements {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Whole(_) => "Whole",
            Self::Packed(_) => "Packed",
        })
    }
}

impl OpenFindings {
    /// Opens findings that are in memory. Of long ones, making the extract takes some tenths of a second, so this runs on a blocking
    /// thread.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if the process has no thread left for it.
    pub async fn of(findings: impl Into<Arc<Findings>> + Send) -> Result<Self, StoreError> {
        let findings = findings.into();
        let opened = tokio::task::spawn_blocking(move || Self::now(findings)).await;
        opened.map_err(|error| StoreError::Unavailable(error.into()))
    }

    /// Opens findings on this thread.
    pub(super) fn now(findings: Arc<Findings>) -> Self {
        Self { extract: Arc::new(Extract::of(&findings)), elements: Elements::Whole(findings) }
    }

    pub(super) fn of_packed(extract: Extract, bytes: Vec<u8>, runs: Runs) -> Self {
        Self { extract: Arc::new(extract), elements: Elements::Packed(Arc::new((bytes, runs))) }
    }

    /// Returns what pages need of all elements.
    pub fn extract(&self) -> &Extract {
        &self.extract
    }

    /// Returns the elements with these numbers, in the order of the numbers, as [`Findings::numbered`] does; numbers of which there is
    /// none are left out. It costs as much as the elements that are near them, and not as much as all.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if they can't be read, and [`StoreError::Unavailable`] if the process has no thread left for it.
    pub async fn elements(&self, numbers: &[u64]) -> Result<Vec<Finding>, StoreError> {
        let index = |number: &u64| usize::try_from(*number).ok()?.checked_sub(1);
        let indices: Vec<usize> = numbers.iter().filter_map(index).collect();
        let failing = usize::try_from(self.extract.failing()).unwrap_or(usize::MAX);
        let undecided = &self.extract.rest().undecided;
        let of_packed = match &self.elements {
            Elements::Whole(findings) => {
                let element = |index: usize| match index.checked_sub(failing) {
                    Some(index) => undecided.get(index),
                    None => findings.items.get(index),
                };
                return Ok(indices.into_iter().filter_map(element).cloned().collect());
            }
            Elements::Packed(packed) => Arc::clone(packed),
        };
        let wanted: Vec<usize> = indices.iter().copied().filter(|index| *index < failing).collect();
        let read = move || {
            let (bytes, runs) = &*of_packed;
            runs.read(bytes, &wanted)
        };
        let read = tokio::task::spawn_blocking(read).await.map_err(|error| StoreError::Unavailable(error.into()))?;
        let mut read = read.map_err(|source| StoreError::Corrupt { what: "elements".to_owned(), source })?.into_iter();
        let element = |index: usize| match index.checked_sub(failing) {
            Some(index) => undecided.get(index).cloned(),
            None => read.next(),
        };
        Ok(indices.into_iter().filter_map(element).collect())
    }

    /// Returns the element with this number; `None` if there is none.
    ///
    /// # Errors
    /// Those of [`elements`](Self::elements).
    pub async fn element(&self, number: u64) -> Result<Option<Finding>, StoreError> {
        Ok(self.elements(&[number]).await?.pop())
    }
}
