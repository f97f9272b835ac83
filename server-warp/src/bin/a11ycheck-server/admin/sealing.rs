//! `a11ycheck-server admin sealing …`: the keys that seal the secrets in the database.

use std::{
    error::Error,
    path::{Path, PathBuf},
};

use a11ycheck_core::{
    Service,
    sealing::{KeyId, SealingKey},
    service::SealingStatus,
};
use clap::Subcommand;
use serde::Serialize;

use super::lines::Outcome;
use crate::{sealing, settings::Settings};

#[derive(Debug, Subcommand)]
pub(super) enum SealingCommand {
    /// Makes a key and prints it as a line for the file that --sealing-key names. Takes no database.
    NewKey {
        /// Writes it into a new file that only its owner can read, and prints its id only.
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Shows the key with which the servers seal, and the number of secrets that each key seals.
    Status,
    /// Seals all secrets with the first of the given keys, and makes the servers seal with it as of their next start.
    ///
    /// Every server must already have that key, after the one that seals now. Repeat the command when all servers have been
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
) -> Result<Outcome, Box<dyn Error + Send + Sync>> {
    Ok(match command {
        SealingCommand::NewKey { file } => Outcome::thing(&new_key(file.as_deref())?),
        SealingCommand::Status => shown(&service.operator().sealing_status().await?),
        SealingCommand::Rotate => {
            let keys = sealing::for_command(settings)?;
            let rotation = service
                .operator()
                .rotate_sealing_key(&keys)
                .await
                .map_err(|error| format!("{error}: {}", sealing::advice(&error, settings)))?;
            let (from, to) = (rotation.from.map(|key| key.to_string()), rotation.to.to_string());
            Outcome::thing(&Rotated { from, to, resealed: rotation.resealed })
        }
    })
}

#[derive(Serialize)]
struct Rotated {
    from: Option<String>,
    to: String,
    resealed: u64,
}

/// The number of secrets that a key seals, or of those that none seals.
#[derive(Serialize)]
struct Secrets {
    key: Option<String>,
    secrets: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    seals_new_ones: Option<bool>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Number {
    Counted(u64),
    /// Not counted; the text says so.
    Some(&'static str),
}

/// Returns a line for each key; the one with which servers seal is there also if it seals nothing.
fn shown(status: &SealingStatus) -> Outcome {
    let mut secrets = status.secrets.clone();
    if let Some(shared) = status.shared {
        secrets.entry(shared).or_insert(0);
    }
    let line = |(key, count): (&KeyId, &u64)| Secrets {
        key: Some(key.to_string()),
        secrets: Number::Counted(*count),
        seals_new_ones: Some(status.shared == Some(*key)),
    };
    let mut lines: Vec<Secrets> = secrets.iter().map(line).collect();
    if status.has_unsealed {
        let secrets = Number::Some("some are in the clear until a server of this release starts");
        lines.push(Secrets { key: None, secrets, seals_new_ones: None });
    }
    Outcome::list(&lines)
}
