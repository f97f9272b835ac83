//! The languages of reports.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A language of reports, as in ISO 639-1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the codes are ISO 639-1")]
pub enum Locale {
    En,
    Uk,
    De,
    Pl,
    Cs,
    Ro,
    Ru,
}

impl Locale {
    /// All languages, in the contract's order.
    pub const ALL: [Self; 7] = [Self::En, Self::Uk, Self::De, Self::Pl, Self::Cs, Self::Ro, Self::Ru];

    /// Returns the ISO 639-1 code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Uk => "uk",
            Self::De => "de",
            Self::Pl => "pl",
            Self::Cs => "cs",
            Self::Ro => "ro",
            Self::Ru => "ru",
        }
    }

    /// Reads a stored code. The code of a language that only a later release knows becomes English, in which this release
    /// can write. Codes are stored once and never written back, so the unknown code need not be kept.
    pub fn from_stored(code: &str) -> Self {
        code.parse().unwrap_or(Self::En)
    }
}

impl fmt::Display for Locale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// The error for a text that is none of the seven codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a report language")]
pub struct UnknownLocale;

impl FromStr for Locale {
    type Err = UnknownLocale;

    fn from_str(code: &str) -> Result<Self, UnknownLocale> {
        Self::ALL.into_iter().find(|locale| locale.code() == code).ok_or(UnknownLocale)
    }
}
