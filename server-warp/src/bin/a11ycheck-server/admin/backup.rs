//! `admin backup` and `admin restore`: the data of one SQLite file. Those of a PostgreSQL are backed up by its own tools.

use std::{error::Error, path::PathBuf};

use a11ycheck_core::sealing::KeyId;
use a11ycheck_storage_sqlite::{Backup, BackupError, Contents, ExistingFile, Restored, SqliteStore};
use chrono::Utc;
use clap::Args;
use serde::Serialize;

use super::lines::Outcome;
use crate::{
    sealing,
    settings::Settings,
    store::{self, Place, StoreChoiceError, absolute},
};

#[derive(Debug, Args)]
pub(super) struct BackupArguments {
    /// The file that becomes the backup. It may lie on another disk; until it is whole it has another name beside this one.
    file: PathBuf,
    /// Replaces a file of that name, once the backup is whole.
    #[arg(long)]
    overwrite: bool,
}

#[derive(Debug, Args)]
pub(super) struct RestoreArguments {
    /// A file that `admin backup` has made. It stays as it is.
    file: PathBuf,
}

/// The place of the data is no file.
#[derive(Debug, thiserror::Error)]
#[error(
    "--database-url names a PostgreSQL, which has tools of its own: pg_dump makes a backup while servers run, and pg_restore puts it \
     back; docs/postgresql.md has the lines"
)]
struct OfPostgres;

/// A backup that was made.
#[derive(Serialize)]
struct Made {
    file: PathBuf,
    bytes: u64,
    tables: i64,
    teams: u64,
    keys: Vec<String>,
}

/// A backup that is in place.
#[derive(Serialize)]
struct InPlace {
    data: PathBuf,
    bytes: u64,
    tables: i64,
    teams: u64,
    keys: Vec<String>,
    missing_keys: Vec<String>,
    kept: Option<PathBuf>,
}

fn folder(settings: &Settings) -> Result<PathBuf, Box<dyn Error + Send + Sync>> {
    match settings.place()? {
        Place::Folder(folder) => Ok(folder),
        Place::Memory => Err(StoreChoiceError::NothingKept.into()),
        Place::Postgres(_) => Err(OfPostgres.into()),
    }
}

pub(super) async fn back_up(
    settings: &Settings,
    arguments: BackupArguments,
) -> Result<Outcome, Box<dyn Error + Send + Sync>> {
    let config = Place::file(&folder(settings)?);
    if !config.path().exists() {
        return Err(StoreChoiceError::Missing(config.path().to_owned()).into());
    }
    let existing = if arguments.overwrite { ExistingFile::Replaced } else { ExistingFile::Kept };
    let Backup { bytes, contents: Contents { schema, teams, keys, .. }, .. } =
        SqliteStore::back_up(&config, &arguments.file, existing).await.map_err(advised)?;
    let keys: Vec<String> = keys.keys().map(ToString::to_string).collect();
    let note = if keys.is_empty() {
        "No secret of a webhook is in it, so it takes no key.\n".to_owned()
    } else {
        format!(
            "The secrets of webhooks in it are sealed, and the keys to them are not in it: keep a copy of {} apart from it.\n",
            sealing::source(settings)
        )
    };
    let made = Made { file: absolute(&arguments.file), bytes, tables: schema, teams, keys };
    Ok(Outcome::thing(&made).with_note(&note))
}

/// Adds the flag to the error that it helps against.
fn advised(error: BackupError) -> Box<dyn Error + Send + Sync> {
    match error {
        BackupError::Taken(file) => {
            format!("{} is there already: give another name, or --overwrite to replace it", file.display()).into()
        }
        other => other.into(),
    }
}

pub(super) async fn restore(
    settings: &Settings,
    arguments: RestoreArguments,
) -> Result<Outcome, Box<dyn Error + Send + Sync>> {
    let folder = folder(settings)?;
    store::make(&folder)?;
    let config = Place::file(&folder);
    let restored = SqliteStore::restore(&config, &arguments.file, Utc::now()).await;
    let Restored { bytes, contents: Contents { schema, teams, keys, .. }, kept, .. } =
        restored.map_err(StoreChoiceError::of_restoring)?;
    // That the keys can't be read is for the server to say; here they are missing.
    let at_hand = sealing::ids_at_hand(settings).unwrap_or_default();
    let missing: Vec<KeyId> = keys.keys().copied().filter(|key| !at_hand.contains(key)).collect();
    let words = |keys: &mut dyn Iterator<Item = &KeyId>| keys.map(ToString::to_string).collect::<Vec<_>>();
    let mut note = String::new();
    if let Some(kept) = &kept {
        note =
            format!("What was there before is {}: delete it when you no longer need it.\n", absolute(kept).display());
    }
    if !missing.is_empty() {
        note.push_str(&format!(
            "No server starts on it without {}: put the file with the keys back to {}.\n",
            words(&mut missing.iter()).join(", "),
            sealing::source(settings)
        ));
    }
    let in_place = InPlace {
        data: absolute(config.path()),
        bytes,
        tables: schema,
        teams,
        keys: words(&mut keys.keys()),
        missing_keys: words(&mut missing.iter()),
        kept: kept.as_deref().map(absolute),
    };
    Ok(Outcome::thing(&in_place).with_note(&note))
}
