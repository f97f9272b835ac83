//! What lies over a page when visitors first see it.

use serde::{Deserialize, Serialize};

use super::{UnknownWord, stored_word::stored_words};

/// What covers most of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CoverKind {
    /// A request for consent, for example to cookies.
    Consent,
    /// Another dialog.
    Dialog,
    /// A layer that says nothing of what it is.
    Overlay,
    /// A kind of a later release.
    Unknown(UnknownWord),
}

stored_words!(CoverKind {
    Consent = "consent",
    Dialog = "dialog",
    Overlay = "overlay",
});

/// A layer over most of a page: what lies behind it is hidden from visitors, and may be hidden from axe-core, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cover {
    /// What it is.
    pub kind: CoverKind,
    /// How much of the visible part of the page it covers, in percent: from [`Cover::LEAST_PERCENT`] to 100.
    pub percent: u8,
}

impl Cover {
    /// The share from which on a layer is said to cover most of a page.
    pub const LEAST_PERCENT: u8 = 50;
}
