//! The size of the window in which pages are shown.

use std::{fmt, ops::RangeInclusive, str::FromStr};

/// The width and height of what a visitor sees of a page without scrolling, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Viewport {
    width: u32,
    height: u32,
}

/// The error for a size that is none of a viewport.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a viewport is written as 1280x720, with {} to {} CSS pixels each way",
    Viewport::EDGE.start(),
    Viewport::EDGE.end()
)]
pub struct InvalidViewport;

impl Viewport {
    /// The size that most desktop visitors have at least: 1280 × 720.
    pub const DESKTOP: Self = Self { width: 1280, height: 720 };

    /// The width and the height that a viewport can have.
    pub const EDGE: RangeInclusive<u32> = 200..=2560;

    /// Returns a viewport of this size.
    ///
    /// # Errors
    /// [`InvalidViewport`] if the width or the height is not within [`EDGE`](Self::EDGE).
    pub fn new(width: u32, height: u32) -> Result<Self, InvalidViewport> {
        let is_valid = Self::EDGE.contains(&width) && Self::EDGE.contains(&height);
        if is_valid { Ok(Self { width, height }) } else { Err(InvalidViewport) }
    }

    /// Returns the width in CSS pixels.
    pub const fn width(self) -> u32 {
        self.width
    }

    /// Returns the height in CSS pixels.
    pub const fn height(self) -> u32 {
        self.height
    }
}

impl Default for Viewport {
    fn default() -> Self {
        Self::DESKTOP
    }
}

impl fmt::Display for Viewport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl FromStr for Viewport {
    type Err = InvalidViewport;

    fn from_str(text: &str) -> Result<Self, InvalidViewport> {
        let (width, height) = text.split_once(['x', '×']).ok_or(InvalidViewport)?;
        let pixels = |text: &str| text.trim().parse().map_err(|_| InvalidViewport);
        Self::new(pixels(width)?, pixels(height)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_read_within_its_bounds_and_nothing_else() {
        assert_eq!("320x480".parse(), Viewport::new(320, 480));
        assert_eq!("1280 × 720".parse(), Ok(Viewport::DESKTOP));
        for wrong in ["", "320", "320x", "x480", "0x0", "199x480", "320x2561", "-320x480", "99999999999x1", "320x480x2"]
        {
            assert_eq!(wrong.parse::<Viewport>(), Err(InvalidViewport), "{wrong}");
        }
        assert_eq!(Viewport::new(200, 2560).unwrap().to_string(), "200x2560");
    }
}
