//! The settings that all servers of one database share: each server takes those of the store, and none differs. Where one
//! server serves a store, there is nobody to agree with: its own settings count.

use std::collections::BTreeMap;

use super::Operator;
use crate::{
    domain::{BaseUrl, InvalidSetting, SharedSetting, StandardId},
    error::Error,
    net::AddressPolicy,
    sealing::KeyId,
    store::{SettingsStore, StoreError},
    webhook::HeaderPrefix,
};

/// The settings that a server was given itself. A value derived from the address that it listens on is not among them.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct OwnSettings {
    /// The address at which clients reach the API; ends with `/v1`.
    pub base_url: Option<String>,
    /// The prefix of the service's header names.
    pub header_prefix: Option<HeaderPrefix>,
    /// The addresses that may be connected to.
    pub policy: Option<AddressPolicy>,
    /// The standard of sites that name none.
    pub standard: Option<StandardId>,
}

/// The number of servers that may work on a store, which decides whose settings count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sharing {
    /// Any number: the stored value of a setting counts, and the first one that a server was given is stored.
    ManyServers,
    /// One at a time: the value that it was given counts, for as long as it is given. What an operator has stored counts
    /// where none was given.
    OneServer,
}

/// The settings that hold for all servers of one database.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SharedSettings {
    /// The address at which clients reach the API, if one was given.
    pub base_url: Option<String>,
    /// The prefix of the service's header names.
    pub header_prefix: HeaderPrefix,
    /// The addresses that may be connected to.
    pub policy: AddressPolicy,
    /// The standard of sites that name none.
    pub standard: StandardId,
    /// The settings that this server was not given and took from the store.
    pub taken: Vec<(SharedSetting, String)>,
}

/// A setting that a server was given and that differs from the stored one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting} is `{stored}` in the database and `{own}` in the settings of this server")]
#[non_exhaustive]
pub struct SettingDifference {
    /// The setting.
    pub setting: SharedSetting,
    /// The value that the server was given.
    pub own: String,
    /// The value that all other servers use.
    pub stored: String,
}

impl SettingDifference {
    /// Returns the difference between the value that a server was given and the stored one.
    pub fn new(setting: SharedSetting, own: impl Into<String>, stored: impl Into<String>) -> Self {
        Self { setting, own: own.into(), stored: stored.into() }
    }
}

/// The reason why a server does not share the settings of the others.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// At least one setting differs.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Differ(Vec<SettingDifference>),
    /// A value, given or stored, can't be read.
    #[error(transparent)]
    Invalid(#[from] InvalidSetting),
    /// The store failed.
    #[error("the shared settings can't be read")]
    Store(#[from] StoreError),
}

impl SharedSettings {
    /// Returns the settings that are in force for a server that was given `own`.
    ///
    /// With [`Sharing::ManyServers`], those that were given and that have no stored value yet are stored. Servers may start
    /// at the same moment: the first value counts. If a setting differs, nothing is stored. With [`Sharing::OneServer`],
    /// nothing is stored, and none differs.
    ///
    /// # Errors
    /// A [`SettingsError`] if a setting differs or can't be read.
    pub async fn settle(
        store: &(impl SettingsStore + Sync + ?Sized),
        own: &OwnSettings,
        sharing: Sharing,
    ) -> Result<Self, SettingsError> {
        let given = own.texts();
        let mut stored = store.settings().await?;
        if sharing == Sharing::OneServer {
            stored.extend(given.clone());
            return Self::read(&given, stored);
        }
        refuse_differences(&given, &stored)?;
        for (setting, own) in &given {
            stored.insert(*setting, store.settle_setting(*setting, own).await?);
        }
        // Other servers may have stored theirs in the meantime.
        refuse_differences(&given, &stored)?;
        Self::read(&given, stored)
    }

    /// Returns the settings that are in force for a command that was given `own`. A command neither stores a setting nor is
    /// refused. A stored value that can't be read is left out, so that a command can replace it.
    ///
    /// # Errors
    /// [`SettingsError::Store`], and [`SettingsError::Invalid`] for a value that was given.
    pub async fn peek(
        store: &(impl SettingsStore + Sync + ?Sized),
        own: &OwnSettings,
        sharing: Sharing,
    ) -> Result<Self, SettingsError> {
        let given = own.texts();
        let mut settings = given.clone();
        for (setting, value) in store.settings().await? {
            if sharing == Sharing::OneServer && given.contains_key(&setting) {
                continue;
            }
            match canonical(setting, &value) {
                Ok(_) => drop(settings.insert(setting, value)),
                Err(error) => tracing::warn!(error = &error as &dyn std::error::Error, "Ignored a stored setting"),
            }
        }
        Self::read(&given, settings)
    }

    fn read(
        given: &BTreeMap<SharedSetting, String>,
        settings: BTreeMap<SharedSetting, String>,
    ) -> Result<Self, SettingsError> {
        for (setting, value) in &settings {
            canonical(*setting, value)?;
        }
        let value = |setting| settings.get(&setting);
        // Checked above.
        let header_prefix = value(SharedSetting::HeaderPrefix).and_then(|text| HeaderPrefix::new(text).ok());
        let policy = value(SharedSetting::AddressPolicy).and_then(|text| text.parse().ok());
        Ok(Self {
            base_url: value(SharedSetting::BaseUrl).cloned(),
            header_prefix: header_prefix.unwrap_or_default(),
            policy: policy.unwrap_or_default(),
            standard: value(SharedSetting::Standard).and_then(|word| StandardId::known(word)).unwrap_or_default(),
            taken: settings
                .into_iter()
                .filter(|(setting, _)| !given.contains_key(setting) && *setting != SharedSetting::SealingKey)
                .collect(),
        })
    }
}

impl OwnSettings {
    /// Sets the address at which clients reach the API, if it was given.
    #[must_use]
    pub fn with_base_url(self, base_url: impl Into<Option<String>>) -> Self {
        Self { base_url: base_url.into(), ..self }
    }

    /// Sets the prefix of the service's header names, if it was given.
    #[must_use]
    pub fn with_header_prefix(self, header_prefix: impl Into<Option<HeaderPrefix>>) -> Self {
        Self { header_prefix: header_prefix.into(), ..self }
    }

    /// Sets the addresses that may be connected to, if they were given.
    #[must_use]
    pub fn with_policy(self, policy: impl Into<Option<AddressPolicy>>) -> Self {
        Self { policy: policy.into(), ..self }
    }

    /// Sets the standard of sites that name none, if it was given.
    #[must_use]
    pub fn with_standard(self, standard: impl Into<Option<StandardId>>) -> Self {
        Self { standard: standard.into(), ..self }
    }

    /// Returns the settings that were given, as they are stored.
    fn texts(&self) -> BTreeMap<SharedSetting, String> {
        let base_url = self.base_url.as_ref().map(|url| url.trim_end_matches('/').to_owned());
        let texts = [
            (SharedSetting::BaseUrl, base_url),
            (SharedSetting::HeaderPrefix, self.header_prefix.as_ref().map(ToString::to_string)),
            (SharedSetting::AddressPolicy, self.policy.as_ref().map(ToString::to_string)),
            (SharedSetting::Standard, self.standard.as_ref().map(ToString::to_string)),
        ];
        texts.into_iter().filter_map(|(setting, text)| Some((setting, text?))).collect()
    }
}

/// Refuses settings that were given and whose stored values mean something else.
fn refuse_differences(
    given: &BTreeMap<SharedSetting, String>,
    stored: &BTreeMap<SharedSetting, String>,
) -> Result<(), SettingsError> {
    let mut differences = Vec::new();
    for (setting, own) in given {
        let meant = canonical(*setting, own)?;
        let Some(stored) = stored.get(setting) else { continue };
        if canonical(*setting, stored)? != meant {
            let (own, stored) = (own.clone(), stored.clone());
            differences.push(SettingDifference { setting: *setting, own, stored });
        }
    }
    if differences.is_empty() { Ok(()) } else { Err(SettingsError::Differ(differences)) }
}

/// Returns the canonical spelling of a value, with which values are compared.
fn canonical(setting: SharedSetting, value: &str) -> Result<String, InvalidSetting> {
    let invalid = |reason: String| InvalidSetting { setting, value: value.to_owned(), reason };
    match setting {
        SharedSetting::BaseUrl => BaseUrl::parse(value)
            .map(|base| base.in_ascii())
            .ok_or_else(|| invalid("it has to be an http or https address that ends with /v1".to_owned())),
        SharedSetting::HeaderPrefix => {
            HeaderPrefix::new(value).map(|prefix| prefix.to_string()).map_err(|error| invalid(error.to_string()))
        }
        SharedSetting::AddressPolicy => {
            value.parse::<AddressPolicy>().map(|policy| policy.to_string()).map_err(|error| invalid(error.to_string()))
        }
        SharedSetting::SealingKey => {
            value.parse::<KeyId>().map(|id| id.to_string()).map_err(|error| invalid(error.to_string()))
        }
        SharedSetting::Standard => {
            let words = StandardId::defaults().map(|id| id.as_str()).collect::<Vec<_>>().join(", ");
            let is_offered = StandardId::defaults().any(|id| id.as_str() == value);
            if is_offered { Ok(value.to_owned()) } else { Err(invalid(format!("it has to be one of {words}"))) }
        }
        SharedSetting::Mail => {
            let is_word = [SharedSetting::ON, SharedSetting::OFF].contains(&value);
            if is_word { Ok(value.to_owned()) } else { Err(invalid("it has to be on or off".to_owned())) }
        }
    }
}

impl Operator {
    /// Returns the stored settings that all servers share.
    ///
    /// # Errors
    /// Returns only those of the store.
    pub async fn shared_settings(&self) -> Result<BTreeMap<SharedSetting, String>, Error> {
        Ok(self.service().store().settings().await?)
    }

    /// Stores a setting in place of the one that is there, if any, and returns that one. Running servers keep the value
    /// that they started with.
    ///
    /// # Errors
    /// Returns [`Error::InvalidSetting`] and those of the store. Nothing is then changed.
    pub async fn set_shared_setting(&self, setting: SharedSetting, value: &str) -> Result<Option<String>, Error> {
        canonical(setting, value)?;
        Ok(self.service().store().replace_setting(setting, value).await?)
    }

    /// Removes a setting, and returns the value that it had: the next server that is given one stores it.
    ///
    /// # Errors
    /// Returns only those of the store.
    pub async fn unset_shared_setting(&self, setting: SharedSetting) -> Result<Option<String>, Error> {
        Ok(self.service().store().remove_setting(setting).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(values: &[(SharedSetting, &str)]) -> BTreeMap<SharedSetting, String> {
        values.iter().map(|(setting, value)| (*setting, (*value).to_owned())).collect()
    }

    #[test]
    fn a_value_that_means_the_same_is_no_difference() {
        let given = texts(&[
            (SharedSetting::BaseUrl, "https://A11y.example:443/v1"),
            (SharedSetting::AddressPolicy, "block-domain=b.example,a.example allow-network=10.9.9.9/8"),
        ]);
        let stored = texts(&[
            (SharedSetting::BaseUrl, "https://a11y.example/v1"),
            (SharedSetting::AddressPolicy, "allow-network=10.0.0.0/8 block-domain=a.example,b.example"),
            (SharedSetting::HeaderPrefix, "Acme-"),
        ]);
        refuse_differences(&given, &stored).unwrap();
    }

    #[test]
    fn every_setting_that_differs_is_named_with_both_values() {
        let given = texts(&[(SharedSetting::BaseUrl, "https://b.example/v1"), (SharedSetting::HeaderPrefix, "Blue-")]);
        let stored = texts(&[(SharedSetting::BaseUrl, "https://a.example/v1"), (SharedSetting::HeaderPrefix, "Acme-")]);
        let message = refuse_differences(&given, &stored).unwrap_err().to_string();
        for part in ["base-url", "https://a.example/v1", "https://b.example/v1", "header-prefix", "Acme-", "Blue-"] {
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn a_value_that_makes_no_sense_is_refused_with_the_reason() {
        for (setting, value) in [
            (SharedSetting::BaseUrl, "https://a.example"),
            (SharedSetting::HeaderPrefix, "Svc: "),
            (SharedSetting::AddressPolicy, "10.0.0.0/8"),
            (SharedSetting::SealingKey, "key_1"),
        ] {
            let message = canonical(setting, value).unwrap_err().to_string();
            assert!(message.contains(setting.as_str()) && message.contains(value), "{message}");
        }
    }
}
