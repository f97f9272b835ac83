//! `admin setting …`: the settings that all servers of the database share.

use std::error::Error;

use a11ycheck_core::{Service, domain::SharedSetting};
use clap::{Subcommand, ValueEnum};
use serde::Serialize;

use super::lines::Outcome;

#[derive(Debug, Subcommand)]
pub(super) enum SettingCommand {
    /// Lists the settings that the database keeps for all its servers.
    List,
    /// Changes a setting for all servers: each takes the new value when it starts next.
    Set {
        setting: SettingName,
        /// An address, a prefix, a standard (`wcag21-aa`, `wcag22-aa`), or a policy: `public`, or rules such as `allow-network=10.0.0.0/8,192.168.0.0/16:80+443
        /// block-network=10.1.0.0/16 block-domain=ads.example.com explain-refusals`.
        value: String,
    },
    /// Removes a setting: the next server that starts with a value of its own stores that one.
    Unset { setting: SettingName },
}

/// The settings that an operator can change here; the sealing key has commands of its own.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum SettingName {
    /// The address at which clients reach the API, for the links in responses and events; ends with /v1.
    BaseUrl,
    /// The beginning of the names of the service's headers.
    HeaderPrefix,
    /// The addresses that may be checked.
    AddressPolicy,
    /// The standard of sites that name none.
    Standard,
}

impl From<SettingName> for SharedSetting {
    fn from(name: SettingName) -> Self {
        match name {
            SettingName::BaseUrl => Self::BaseUrl,
            SettingName::HeaderPrefix => Self::HeaderPrefix,
            SettingName::AddressPolicy => Self::AddressPolicy,
            SettingName::Standard => Self::Standard,
        }
    }
}

#[derive(Serialize)]
struct Shown<'a> {
    setting: &'a str,
    value: &'a str,
}

/// A setting that was changed, with its former value.
#[derive(Serialize)]
struct Changed<'a> {
    setting: &'a str,
    value: Option<&'a str>,
    before: Option<&'a str>,
    takes_effect: &'a str,
}

fn changed(setting: SharedSetting, value: Option<&str>, before: Option<&str>) -> Outcome {
    Outcome::thing(&Changed { setting: setting.as_str(), value, before, takes_effect: "when a server starts next" })
}

pub(super) async fn run(service: &Service, command: SettingCommand) -> Result<Outcome, Box<dyn Error + Send + Sync>> {
    Ok(match command {
        SettingCommand::List => {
            let settings = service.operator().shared_settings().await?;
            let shown = settings.iter().map(|(setting, value)| Shown { setting: setting.as_str(), value });
            Outcome::list(&shown.collect::<Vec<_>>())
        }
        SettingCommand::Set { setting, value } => {
            let setting = SharedSetting::from(setting);
            let before = service.operator().set_shared_setting(setting, &value).await?;
            changed(setting, Some(&value), before.as_deref())
        }
        SettingCommand::Unset { setting } => {
            let setting = SharedSetting::from(setting);
            let before = service.operator().unset_shared_setting(setting).await?;
            changed(setting, None, before.as_deref())
        }
    })
}
