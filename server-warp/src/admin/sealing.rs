//! `a11ycheck-server admin sealing …`: the keys that secrets in the database are sealed with.

use std::{
    error::Error,
    path::{Path, PathBuf},
};

use a11ycheck_core::{Service, sealing::SealingKey, service::SealingStatus};
use clap::Subcommand;
use serde_json::{Value, json};

use crate::{sealing, settings::Settings};

#[derive(Debug, Subcommand)]
pub(super) enum SealingCommand {
    /// Makes a key and prints it as a line for the file that --sealing-key names. Takes no database.
    NewKey {
        /// Writes it into a new file that only its owner can read, and prints its id only.
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Shows which key the servers seal with, and how many secrets each key seals.
    Status,
    /// Seals all secrets with the first of the keys at hand, and has the servers seal with it from their next start on.
    ///
    /// Every server must hold that key already, after the one that seals. Repeat the command when all servers have been
    /// started with the new key first: those that ran meanwhile sealed with the old one.
    Rotate,
}

pub(super) fn new_key(file: Option<&Path>) -> Result<String, Box<dyn Error + Send + Sync>> {
    let key = SealingKey::generate();
    let Some(file) = file else { return Ok((*sealing::line(&key)).clone()) };
    sealing::create(file, &key)?;
    Ok(format!("id: {}  file: {}\n", key.id(), file.display()))
}

pub(super) async fn run(
    settings: &Settings,
    service: &Service,
    command: SealingCommand,
) -> Result<Value, Box<dyn Error + Send + Sync>> {
    Ok(match command {
        SealingCommand::NewKey { file } => json!(new_key(file.as_deref())?),
        SealingCommand::Status => shown(&service.sealing_status().await?),
        SealingCommand::Rotate => {
            let keys = sealing::for_command(settings)?;
            let rotation = service
                .rotate_sealing_key(&keys)
                .await
                .map_err(|error| format!("{error}: {}", sealing::advice(&error, settings)))?;
            json!({
                "from": rotation.from.map(|key| key.to_string()),
                "to": rotation.to.to_string(),
                "resealed": rotation.resealed,
            })
        }
    })
}

/// A line for each key; the one that servers seal with is there also when it seals nothing.
fn shown(status: &SealingStatus) -> Value {
    let mut secrets = status.secrets.clone();
    if let Some(shared) = status.shared {
        secrets.entry(shared).or_insert(0);
    }
    let line = |(key, count): (&a11ycheck_core::sealing::KeyId, &u64)| json!({"key": key.to_string(), "secrets": count, "seals_new_ones": status.shared == Some(*key)});
    let mut lines: Vec<Value> = secrets.iter().map(line).collect();
    if status.has_unsealed {
        lines.push(json!({"key": null, "secrets": "some are in the clear until a server of this release starts"}));
    }
    lines.into()
}
