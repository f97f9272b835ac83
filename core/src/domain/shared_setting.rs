//! The settings that all servers of one database share.

use std::{fmt, str::FromStr};

/// A setting that all servers of one database share and that the database keeps.
///
/// A later release may know more settings: a value that is stored under a name unknown to this release is kept and
/// ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SharedSetting {
    /// The address at which clients reach the API: links in responses and events begin with it.
    BaseUrl,
    /// The prefix of the service's header names.
    HeaderPrefix,
    /// The rules about which addresses may be connected to.
    AddressPolicy,
    /// The id of the key that seals secrets.
    SealingKey,
    /// The standard against which sites are checked that name none.
    Standard,
    /// The word that says if mail to people is sent: `on` or `off`, as the servers that send it say when they start.
    Mail,
}

/// The error for a text that is not the name of a shared setting of this release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no such setting")]
pub struct UnknownSetting;

impl SharedSetting {
    /// All settings, in the order of their names.
    pub const ALL: [Self; 6] =
        [Self::AddressPolicy, Self::BaseUrl, Self::HeaderPrefix, Self::Mail, Self::SealingKey, Self::Standard];

    /// The name of [`Mail`](Self::Mail).
    pub const MAIL: &'static str = "mail";
    /// The value of [`Mail`](Self::Mail) while mail is sent.
    pub const ON: &'static str = "on";
    /// The value of [`Mail`](Self::Mail) while none is sent.
    pub const OFF: &'static str = "off";

    /// Returns the name under which a store keeps the setting.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BaseUrl => "base-url",
            Self::HeaderPrefix => "header-prefix",
            Self::AddressPolicy => "address-policy",
            Self::SealingKey => "sealing-key",
            Self::Standard => "standard",
            Self::Mail => Self::MAIL,
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

/// The error for a value that a setting can't have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting} can't be `{value}`: {reason}")]
#[non_exhaustive]
pub struct InvalidSetting {
    /// The setting.
    pub setting: SharedSetting,
    /// The value.
    pub value: String,
    /// The reason why the value is invalid.
    pub reason: String,
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
