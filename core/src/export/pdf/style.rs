//! Sizes and colours. Every colour of text has a contrast of at least 4.5 to 1 with its background (WCAG 1.4.3).

use crate::domain::{Colour, Impact};

/// Running text.
pub(super) const TEXT: Colour = Colour::new(0x1f, 0x24, 0x2b);
/// Text that matters less.
pub(super) const QUIET: Colour = Colour::new(0x4b, 0x55, 0x63);
/// The background of code and of the heads of tables.
pub(super) const PANEL: Colour = Colour::new(0xf3, 0xf5, 0xf8);
/// Thin lines.
pub(super) const RULE: Colour = Colour::new(0xc9, 0xd0, 0xd9);

/// Returns the background of a severity's badge, whose text is white, and the colour of its bar.
pub(super) const fn of_severity(severity: Impact) -> Colour {
    match severity {
        Impact::Critical => Colour::new(0xa3, 0x12, 0x12),
        Impact::Serious => Colour::new(0xb0, 0x4a, 0x00),
        Impact::Moderate => Colour::new(0x1d, 0x4e, 0xa8),
        Impact::Minor => Colour::new(0x4b, 0x55, 0x63),
    }
}

/// The style of a paragraph. All measures are in points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) size: f32,
    /// The distance from line to line.
    pub(super) leading: f32,
    pub(super) colour: Colour,
    pub(super) before: f32,
    pub(super) after: f32,
}

impl Style {
    pub(super) const BODY: Self = Self { size: 10.0, leading: 14.5, colour: TEXT, before: 0.0, after: 6.0 };
    pub(super) const SMALL: Self = Self { size: 9.0, leading: 12.5, colour: QUIET, before: 0.0, after: 5.0 };
    pub(super) const LABEL: Self = Self { size: 9.0, leading: 12.5, colour: QUIET, before: 0.0, after: 2.0 };
    pub(super) const LEAD: Self = Self { size: 13.0, leading: 19.0, colour: TEXT, before: 0.0, after: 8.0 };
    pub(super) const CODE: Self = Self { size: 9.0, leading: 12.5, colour: TEXT, before: 0.0, after: 8.0 };
    pub(super) const CELL: Self = Self { size: 9.5, leading: 13.5, colour: TEXT, before: 0.0, after: 0.0 };

    /// Returns the style of a heading of this level, from 1.
    pub(super) const fn heading(level: u8, ink: Colour) -> Self {
        match level {
            1 => Self { size: 24.0, leading: 31.0, colour: ink, before: 0.0, after: 6.0 },
            2 => Self { size: 17.0, leading: 23.0, colour: ink, before: 20.0, after: 8.0 },
            3 => Self { size: 13.0, leading: 18.0, colour: ink, before: 16.0, after: 5.0 },
            _ => Self { size: 10.5, leading: 15.0, colour: TEXT, before: 7.0, after: 2.0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_can_be_read_on_what_it_stands_on() {
        for colour in [TEXT, QUIET] {
            assert!(colour.contrast(Colour::WHITE) >= 4.5 && colour.contrast(PANEL) >= 4.5, "{colour:?}");
        }
        for severity in Impact::ALL {
            assert!(of_severity(severity).contrast(Colour::WHITE) >= 4.5, "{severity}");
        }
    }
}
