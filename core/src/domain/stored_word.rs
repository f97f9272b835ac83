//! Words of enums as they are stored, including those of later releases.
//!
//! During the rollout of a release, nodes of the previous release read what the new ones write. A word that such a node
//! does not know is kept, and written back unchanged: see `storage-postgres/migrations/README.md`, "Rules".

use std::fmt;

/// A word that this release does not know, exactly as it is stored.
///
/// It can only be made by reading a stored word: none exists for a word that this release knows. It is `Copy`, so that
/// an enum with a variant for it is as easy to handle as one without.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnknownWord {
    // ASCII, padded with 0.
    bytes: [u8; Self::MAX_LENGTH],
}

/// The error for a text that no release stores as a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a word of 1 to {} printable ASCII characters", UnknownWord::MAX_LENGTH)]
pub struct NotAWord;

impl UnknownWord {
    /// The greatest number of characters of a word. No release stores longer ones.
    pub const MAX_LENGTH: usize = 40;

    pub(super) fn new(text: &str) -> Result<Self, NotAWord> {
        let is_word = (1..=Self::MAX_LENGTH).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_word {
            return Err(NotAWord);
        }
        let mut bytes = [0; Self::MAX_LENGTH];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Ok(Self { bytes })
    }

    /// Returns the word.
    pub fn as_str(&self) -> &str {
        let length = self.bytes.iter().position(|byte| *byte == 0).unwrap_or(Self::MAX_LENGTH);
        // `new` accepts only ASCII.
        std::str::from_utf8(&self.bytes[..length]).unwrap_or_default()
    }
}

impl fmt::Debug for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Makes the values of an enum storable as words: the variants that this release knows are listed with their words, and
/// any other word is kept in the variant `Unknown`.
macro_rules! stored_words {
    ($type:ident { $($variant:ident = $word:literal,)+ }) => {
        impl $type {
            /// Every value that this release knows.
            pub const KNOWN: &[Self] = &[$(Self::$variant),+];

            /// Returns the word that is stored.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)+
                    Self::Unknown(word) => word.as_str(),
                }
            }

            /// Parses a stored word. One that this release does not know is kept as it is.
            ///
            /// # Errors
            #[doc = concat!("[`NotAWord`](crate::domain::NotAWord): no release stores such a text.")]
            pub fn from_stored(word: &str) -> Result<Self, $crate::domain::NotAWord> {
                match word {
                    $($word => Ok(Self::$variant),)+
                    _ => $crate::domain::UnknownWord::new(word).map(Self::Unknown),
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                Self::from_stored(&word).map_err(serde::de::Error::custom)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({"type": "string", "enum": Self::KNOWN})
            }
        }
    };
}

pub(super) use stored_words;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{
        Ability, AssessmentOutcome, AttemptFailure, AuditAction, CheckFrequency, CoverKind, EventKind, FailureCause,
        FailureCode, MailKind, PersonKind, PlanStatus, Reach, Role, ScanEventKind, ScanKind, StandardId, Standing,
        Verdict,
    };

    #[test]
    fn a_word_of_a_later_release_is_kept_as_it_is_stored() {
        macro_rules! kept {
            ($($type:ident)+) => {$(
                let later: $type = serde_json::from_str(r#""of_a-Later.release""#).unwrap();
                assert!(matches!(later, $type::Unknown(_)), "{later:?}");
                assert_eq!(later.as_str(), "of_a-Later.release");
                assert_eq!(serde_json::to_string(&later).unwrap(), r#""of_a-Later.release""#);
                for known in $type::KNOWN {
                    assert_eq!($type::from_stored(known.as_str()), Ok(*known), "what is known is never unknown");
                    assert!(known.as_str().len() <= UnknownWord::MAX_LENGTH, "the release before could not read it");
                }
            )+};
        }
        kept!(Ability AssessmentOutcome AttemptFailure AuditAction CheckFrequency CoverKind EventKind FailureCause FailureCode MailKind PersonKind PlanStatus Reach Role ScanEventKind ScanKind Standing StandardId Verdict);
    }

    #[test]
    fn a_word_is_short_and_printable() {
        for word in ["x", "scan.completed", "pt-BR", &"w".repeat(UnknownWord::MAX_LENGTH)] {
            assert_eq!(UnknownWord::new(word).unwrap().as_str(), word);
        }
        for text in ["", "two words", "line\nbreak", "слово", "nul\0", &"w".repeat(UnknownWord::MAX_LENGTH + 1)] {
            assert_eq!(UnknownWord::new(text), Err(NotAWord), "{text:?}");
        }
    }
}
