//! White label: what a team's files show in place of the product's own name and looks.

use std::{fmt, str::FromStr};

use super::Colour;

/// What a team has set. It is shown on plans with white label, and kept on others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TeamBrand {
    /// In place of the team's name.
    pub name: Option<BrandName>,
    /// In place of the product's colour.
    pub colour: Option<Colour>,
    /// In place of the name at the head of a file.
    pub logo: Option<Logo>,
}

/// One line of 1 to [`BrandName::MAX_LENGTH`] characters, none of them a control character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrandName(String);

/// A text that is no name of a brand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BrandNameError {
    /// It is blank.
    #[error("the name is blank")]
    Blank,
    /// It is too long.
    #[error("the name has more than {} characters", BrandName::MAX_LENGTH)]
    TooLong,
    /// It has a line break or another control character in it.
    #[error("the name has a line break or another control character in it")]
    Control,
}

impl BrandName {
    /// Characters of a name.
    pub const MAX_LENGTH: usize = 80;

    /// Takes a stored name back. It was judged when it was stored, perhaps by the rules of a later release.
    pub fn from_stored(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Without white space around it.
impl FromStr for BrandName {
    type Err = BrandNameError;

    fn from_str(text: &str) -> Result<Self, BrandNameError> {
        let name = text.trim();
        if name.is_empty() {
            Err(BrandNameError::Blank)
        } else if name.chars().count() > Self::MAX_LENGTH {
            Err(BrandNameError::TooLong)
        } else if name.chars().any(char::is_control) {
            Err(BrandNameError::Control)
        } else {
            Ok(Self(name.to_owned()))
        }
    }
}

/// A picture that stands for a brand, in one of the formats of [`LogoFormat`].
#[derive(Clone, PartialEq, Eq)]
pub struct Logo {
    format: LogoFormat,
    bytes: Vec<u8>,
}

/// A format of logos.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the formats' own names")]
pub enum LogoFormat {
    Png,
    Jpeg,
    WebP,
    /// One of a later release, which files of this one can't show.
    Unknown,
}

impl Logo {
    /// Bytes of a logo.
    pub const MAX_BYTES: usize = 512 * 1_024;
    /// Pixels of a logo's edge.
    pub const MAX_EDGE: u32 = 2_000;

    /// A logo from a file of a format that its first bytes tell; `None` for any other. Whether it can be decoded, and keeps
    /// to the bounds, is not looked at here: [`decoded_logo`](crate::export::pdf::decoded_logo) does that, once, before a
    /// logo is stored.
    pub fn recognised(bytes: Vec<u8>) -> Option<Self> {
        let format = LogoFormat::of(&bytes)?;
        Some(Self { format, bytes })
    }

    /// Takes a stored logo back, of whatever format: what this release can't show stays as it is stored.
    pub fn from_stored(bytes: Vec<u8>) -> Self {
        Self { format: LogoFormat::of(&bytes).unwrap_or(LogoFormat::Unknown), bytes }
    }
    /// Whether this release can show it.
    pub const fn is_shown(&self) -> bool {
        !matches!(self.format, LogoFormat::Unknown)
    }

    /// Its format.
    pub const fn format(&self) -> LogoFormat {
        self.format
    }

    /// The file.
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
    /// The format that the first bytes of a file tell.
    const fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::WebP),
            _ => None,
        }
    }

    /// The value of `Content-Type`.
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
