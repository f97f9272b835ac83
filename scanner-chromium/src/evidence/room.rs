//! The room for pictures of elements that is left in a check, so that none is taken that could not be kept.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

/// The room that is left in the album of a check, as far as it matters before a picture is taken. Clones share it: the
/// album sets it while pages are added, and visits that run at the same time read it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Room(Arc<AtomicU8>);

impl Room {
    const FOR_ALL: u8 = 0;
    const FOR_FAILING: u8 = 1;
    const FOR_NONE: u8 = 2;

    /// Sets what there is room for.
    pub(super) fn set(&self, is_half_full: bool, is_full: bool) {
        let room = match (is_half_full, is_full) {
            (_, true) => Self::FOR_NONE,
            (true, false) => Self::FOR_FAILING,
            (false, false) => Self::FOR_ALL,
        };
        self.0.store(room, Ordering::Relaxed);
    }

    /// Returns whether elements that fail can have pictures.
    pub(super) fn has_for_failing(&self) -> bool {
        self.0.load(Ordering::Relaxed) != Self::FOR_NONE
    }

    /// Returns whether elements about which axe-core could not decide can have pictures.
    pub(super) fn has_for_undecided(&self) -> bool {
        self.0.load(Ordering::Relaxed) == Self::FOR_ALL
    }
}
