//! Colours, and whether text in them is readable.

use std::{fmt, str::FromStr};

/// A colour in sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Colour {
    red: u8,
    green: u8,
    blue: u8,
}

/// A text that is not `#` and six hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a colour: write it as #rrggbb")]
pub struct ParseColourError;

impl Colour {
    /// White.
    pub const WHITE: Self = Self::new(255, 255, 255);

    /// Makes a colour from its parts.
    pub const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self { red, green, blue }
    }

    /// Returns the contrast ratio to another colour as WCAG defines it: 1 to 21.
    pub fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// Returns this colour, darkened until text in it is readable on white for people with low vision, too (WCAG 1.4.6: 7 to 1).
    pub fn readable_on_white(self) -> Self {
        let mut colour = self;
        // Each step takes off a sixteenth, and at least 1, so the loop ends at black at the latest, whose contrast
        // suffices.
        while colour.contrast(Self::WHITE) < 7.0 {
            let darker = |part: u8| part.saturating_sub((part / 16).max(1));
            colour = Self::new(darker(colour.red), darker(colour.green), darker(colour.blue));
        }
        colour
    }

    /// Returns red, green and blue, each from 0 to 1.
    #[cfg(feature = "pdf")]
    pub(crate) fn parts(self) -> [f32; 3] {
        [self.red, self.green, self.blue].map(|part| f32::from(part) / 255.0)
    }

    /// Returns the relative luminance as WCAG defines it.
    fn luminance(self) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.red) + 0.7152 * linear(self.green) + 0.0722 * linear(self.blue)
    }
}

/// Writes `#rrggbb` in lower case.
impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { red, green, blue } = self;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

impl FromStr for Colour {
    type Err = ParseColourError;

    fn from_str(text: &str) -> Result<Self, ParseColourError> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6).ok_or(ParseColourError)?;
        // `from_str_radix` accepts a sign, which is not a digit.
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(ParseColourError);
        }
        let part = |start: usize| u8::from_str_radix(&digits[start..start + 2], 16).map_err(|_| ParseColourError);
        Ok(Self::new(part(0)?, part(2)?, part(4)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrast_is_that_of_the_standard() {
        let black = Colour::new(0, 0, 0);
        assert!((black.contrast(Colour::WHITE) - 21.0).abs() < 1e-9);
        assert!((Colour::new(0x76, 0x76, 0x76).contrast(Colour::WHITE) - 4.54).abs() < 0.01);
    }

    #[test]
    fn any_brand_colour_becomes_readable() {
        for colour in ["#ffffff", "#ffff00", "#00ff88", "#010203", "#0b5394"] {
            let colour: Colour = colour.parse().unwrap();
            assert!(colour.readable_on_white().contrast(Colour::WHITE) >= 7.0, "{colour:?}");
        }
        let dark = Colour::new(0x0b, 0x53, 0x94);
        assert_eq!(dark.readable_on_white(), dark, "a colour that is readable stays as it is");
    }

    #[test]
    fn only_six_hexadecimal_digits_are_a_colour() {
        assert_eq!("#0B5394".parse(), Ok(Colour::new(0x0b, 0x53, 0x94)));
        assert_eq!(Colour::new(0x0b, 0, 0xff).to_string(), "#0b00ff");
        for text in ["", "#fff", "0b5394", "#0b539", "#0b539g", "#+b5394", "#é5394"] {
            assert_eq!(text.parse::<Colour>(), Err(ParseColourError), "{text}");
        }
    }
}
