//! The settings that all servers of one database share.

use std::{fmt, str::FromStr};

/// A setting that all servers of one database share, and that the database keeps.
///
/// A later release may know more of them: what a store holds under a name that this release does not know is kept and
/// ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SharedSetting {
    /// The address at which clients reach the API: links in answers and events begin with it.
    BaseUrl,
    /// The prefix of the service's header names.
    HeaderPrefix,
    /// The addresses that may be connected to.
    AddressPolicy,
    /// The id of the key that seals secrets.
    SealingKey,
}

/// A text that is not the name of a shared setting of this release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no such setting")]
pub struct UnknownSetting;

impl SharedSetting {
    /// All of them, in the order of their names.
    pub const ALL: [Self; 4] = [Self::AddressPolicy, Self::BaseUrl, Self::HeaderPrefix, Self::SealingKey];

    /// Returns the name under which a store keeps it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BaseUrl => "base-url",
            Self::HeaderPrefix => "header-prefix",
            Self::AddressPolicy => "address-policy",
            Self::SealingKey => "sealing-key",
        }
    }
}

impl fmt::Display for SharedSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for SharedSetting {
    type Err = UnknownSetting;

    fn from_str(text: &str) -> Result<Self, UnknownSetting> {
        Self::ALL.into_iter().find(|setting| setting.as_str() == text).ok_or(UnknownSetting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_read_back_from_its_name() {
        for setting in SharedSetting::ALL {
            assert_eq!(setting.as_str().parse(), Ok(setting));
        }
        assert!(SharedSetting::ALL.is_sorted_by_key(|setting| setting.as_str()));
        assert_eq!("colour".parse::<SharedSetting>(), Err(UnknownSetting));
    }
}
