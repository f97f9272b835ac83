//! White label: what the files of a team show instead of the product's own name and look.

use std::{fmt, str::FromStr};

use super::{Colour, DraftHead};

/// The settings of a team. They are shown on plans with white label, and kept on others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TeamBrand {
    /// The name that is shown instead of the team's.
    pub name: Option<BrandName>,
    /// The colour that is shown instead of the product's.
    pub colour: Option<Colour>,
    /// The logo that is shown instead of the name at the head of a file.
    pub logo: Option<Logo>,
    /// The facts at the head of drafts of conformance reports, which are shown on every plan with such drafts.
    pub draft: DraftHead,
}

impl TeamBrand {
    /// Sets the name that is shown instead of the team's, if there is one.
    #[must_use]
    pub fn with_name(self, name: impl Into<Option<BrandName>>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Sets the colour that is shown instead of the product's, if there is one.
    #[must_use]
    pub fn with_colour(self, colour: impl Into<Option<Colour>>) -> Self {
        Self { colour: colour.into(), ..self }
    }

    /// Sets the facts at the head of drafts of conformance reports.
    #[must_use]
    pub fn with_draft(self, draft: DraftHead) -> Self {
        Self { draft, ..self }
    }

    /// Sets the logo that is shown instead of the name at the head of a file, if there is one.
    #[must_use]
    pub fn with_logo(self, logo: impl Into<Option<Logo>>) -> Self {
        Self { logo: logo.into(), ..self }
    }
}

/// The name of a brand: one line of 1 to [`BrandName::MAX_LENGTH`] characters, none of them a control character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrandName(String);

/// The reason why a text is not the name of a brand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BrandNameError {
    /// The text is blank.
    #[error("the name is blank")]
    Blank,
    /// The text is too long.
    #[error("the name has more than {} characters", BrandName::MAX_LENGTH)]
    TooLong,
    /// The text has a line break or another control character in it.
    #[error("the name has a line break or another control character in it")]
    Control,
}

impl BrandName {
    /// The greatest number of characters of a name.
    pub const MAX_LENGTH: usize = 80;

    /// Restores a stored name without checking it: it was checked when it was stored, perhaps by the rules of a later
    /// release.
    pub fn from_stored(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Parses a name; white space around it is removed.
impl FromStr for BrandName {
    type Err = BrandNameError;

    fn from_str(text: &str) -> Result<Self, BrandNameError> {
        let name = text.trim();
        if name.is_empty() {
            Err(BrandNameError::Blank)
        } else if name.chars().count() > Self::MAX_LENGTH {
            Err(BrandNameError::TooLong)
        } else if name.chars().any(|character| character.is_control() || ends_line(character)) {
            Err(BrandNameError::Control)
        } else {
            Ok(Self(name.to_owned()))
        }
    }
}

/// Returns whether a character that is no control character ends a line all the same (Unicode: `Zl` and `Zp`).
const fn ends_line(character: char) -> bool {
    matches!(character, '\u{2028}' | '\u{2029}')
}

/// The picture of a brand, in one of the formats of [`LogoFormat`].
#[derive(Clone, PartialEq, Eq)]
pub struct Logo {
    format: LogoFormat,
    bytes: Vec<u8>,
}

/// A file format of logos.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the formats' own names")]
pub enum LogoFormat {
    Png,
    Jpeg,
    WebP,
    /// A format of a later release, which the files of this release can't show.
    Unknown,
}

impl Logo {
    /// The greatest number of bytes of a logo.
    pub const MAX_BYTES: usize = 512 * 1_024;
    /// The greatest width and height of a logo in pixels.
    pub const MAX_EDGE: u32 = 2_000;

    /// Makes a logo of a file whose format is recognised by its first bytes; returns `None` for any other file.
    ///
    /// Whether the file can be decoded and its edges are within the bound is not checked here:
    /// [`decoded_logo`](crate::export::pdf::decoded_logo) does that once, before a logo is stored.
    pub fn recognised(bytes: Vec<u8>) -> Option<Self> {
        let format = LogoFormat::of(&bytes)?;
        Some(Self { format, bytes })
    }

    /// Restores a stored logo of any format; one that this release can't show is kept as it is stored.
    pub fn from_stored(bytes: Vec<u8>) -> Self {
        Self { format: LogoFormat::of(&bytes).unwrap_or(LogoFormat::Unknown), bytes }
    }
    /// Returns whether this release can show the logo.
    pub const fn is_shown(&self) -> bool {
        !matches!(self.format, LogoFormat::Unknown)
    }

    /// Returns the format.
    pub const fn format(&self) -> LogoFormat {
        self.format
    }

    /// Returns the bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Debug for Logo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logo").field("format", &self.format).field("bytes", &self.bytes.len()).finish()
    }
}

impl LogoFormat {
    /// Recognises the format by the first bytes of a file.
    const fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::WebP),
            _ => None,
        }
    }

    /// Returns the value for `Content-Type`.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::WebP => "image/webp",
            Self::Unknown => "application/octet-stream",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_line_of_bounded_length() {
        assert_eq!(" Agentur Müller ".parse::<BrandName>().unwrap().as_str(), "Agentur Müller");
        assert!("ж".repeat(80).parse::<BrandName>().is_ok());
        for (text, error) in [
            (" \t", BrandNameError::Blank),
            (&"ж".repeat(81), BrandNameError::TooLong),
            ("a\nb", BrandNameError::Control),
            ("a\0b", BrandNameError::Control),
            ("a\u{2028}b", BrandNameError::Control),
        ] {
            assert_eq!(text.parse::<BrandName>(), Err(error), "{text:?}");
        }
    }

    #[test]
    fn a_logo_is_told_by_its_first_bytes_and_no_script_passes_for_one() {
        for (bytes, media_type) in [
            (&b"\x89PNG\r\n\x1a\n..."[..], "image/png"),
            (b"\xff\xd8\xff\xe0", "image/jpeg"),
            (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
        ] {
            assert_eq!(Logo::recognised(bytes.to_vec()).unwrap().format().media_type(), media_type);
        }
        for bytes in
            [&b""[..], b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"GIF89a", b"RIFF\x10\0\0\0WAVE", b"\x89PNG"]
        {
            assert_eq!(Logo::recognised(bytes.to_vec()), None);
        }
    }

    #[test]
    fn a_logo_of_a_later_release_is_kept_and_not_shown() {
        let stored = b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec();
        let logo = Logo::from_stored(stored.clone());
        assert_eq!((logo.bytes(), logo.is_shown()), (stored.as_slice(), false));
        let known = b"\x89PNG\r\n\x1a\n...".to_vec();
        assert_eq!(Some(Logo::from_stored(known.clone())), Logo::recognised(known));
    }
}
