//! Layers that cover a page when visitors first see it.

use serde::{Deserialize, Serialize};

use super::{UnknownWord, stored_word::stored_words};

/// The kind of layer that covers most of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CoverKind {
    /// A request for consent, for example to cookies.
    Consent,
    /// Another dialog.
    Dialog,
    /// A layer that does not say what it is.
    Overlay,
    /// A kind of a later release.
    Unknown(UnknownWord),
}

stored_words!(CoverKind {
    Consent = "consent",
    Dialog = "dialog",
    Overlay = "overlay",
});

/// A layer over most of a page: what is behind it is hidden from visitors, and may be hidden from axe-core, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Cover {
    /// The kind of the layer.
    pub kind: CoverKind,
    /// The share of the visible part of the page that it covers, in percent: from [`Cover::LEAST_PERCENT`] to 100.
    pub percent: u8,
}

impl Cover {
    /// The least share, in percent, at which a layer is said to cover most of a page.
    pub const LEAST_PERCENT: u8 = 50;

    /// Returns a layer of this kind that covers this share of the visible part of a page, in percent.
    pub const fn new(kind: CoverKind, percent: u8) -> Self {
        Self { kind, percent }
    }
}
