//! `admin setting …`: what all servers of the database share.

use std::error::Error;

use a11ycheck_core::{Service, domain::SharedSetting};
use clap::{Subcommand, ValueEnum};
use serde_json::{Value, json};

#[derive(Debug, Subcommand)]
pub(super) enum SettingCommand {
    /// Lists the settings that the database keeps for all its servers.
    List,
    /// Changes a setting for all servers: each takes the new value when it starts next.
    Set {
        setting: SettingName,
        /// An address, a prefix, or a policy: `public`, or rules such as `allow-network=10.0.0.0/8,192.168.0.0/16:80+443
        /// block-network=10.1.0.0/16 block-domain=ads.example.com explain-refusals`.
        value: String,
    },
    /// Removes a setting: the next server that starts with a value of its own stores that one.
    Unset { setting: SettingName },
}

/// The settings that an operator can change here; the sealing key has commands of its own.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum SettingName {
    /// Where clients reach the API, for the links in answers and events; ends with /v1.
    BaseUrl,
    /// What the headers of the service begin with.
    HeaderPrefix,
    /// Which addresses may be checked.
    AddressPolicy,
}

impl From<SettingName> for SharedSetting {
    fn from(name: SettingName) -> Self {
        match name {
            SettingName::BaseUrl => Self::BaseUrl,
            SettingName::HeaderPrefix => Self::HeaderPrefix,
            SettingName::AddressPolicy => Self::AddressPolicy,
        }
    }
}

const TAKES_EFFECT: &str = "when a server starts next";

pub(super) async fn run(service: &Service, command: SettingCommand) -> Result<Value, Box<dyn Error + Send + Sync>> {
    Ok(match command {
        SettingCommand::List => {
            let settings = service.shared_settings().await?.into_iter();
            settings.map(|(setting, value)| json!({"setting": setting.as_str(), "value": value})).collect()
        }
        SettingCommand::Set { setting, value } => {
            let setting = SharedSetting::from(setting);
            let before = service.set_shared_setting(setting, &value).await?;
            json!({"setting": setting.as_str(), "value": value, "before": before, "takes_effect": TAKES_EFFECT})
        }
        SettingCommand::Unset { setting } => {
            let setting = SharedSetting::from(setting);
            let before = service.unset_shared_setting(setting).await?;
            json!({"setting": setting.as_str(), "value": null, "before": before, "takes_effect": TAKES_EFFECT})
        }
    })
}
