//! `admin export` and `admin import`: everything of a store as one file, from which a store of any kind takes it.

use std::{
    error::Error,
    fs, io,
    path::{Path, PathBuf},
};

use a11ycheck_core::{
    sealing::KeyId,
    store::{
        StoreError,
        transfer::{self, Kind, Totals, TransferError},
    },
};
use clap::Args;
use indexmap::IndexMap;
use serde::Serialize;
use tempfile::NamedTempFile;
use tokio::{fs::File, io::BufReader};

use super::lines::Outcome;
use crate::{
    sealing,
    settings::Settings,
    store::{ChosenStore, Place, StoreChoiceError, absolute},
};

/// The size of the buffer behind the file that is read.
const BUFFER: usize = 256 * 1_024;

#[derive(Debug, Args)]
pub(super) struct ExportArguments {
    /// The file to write. It may lie on another disk; until it is whole it has another name beside this one.
    file: PathBuf,
    /// Replaces a file of that name, once the export is whole.
    #[arg(long)]
    overwrite: bool,
}

#[derive(Debug, Args)]
pub(super) struct ImportArguments {
    /// A file that `admin export` has written, of data of any kind. It stays as it is.
    file: PathBuf,
}

/// The reason why the file of an export is not written or read.
#[derive(Debug, thiserror::Error)]
enum ExportFileError {
    #[error("there is a file at {} already: name another one, or replace it with --overwrite", .0.display())]
    Exists(PathBuf),
    #[error("{} can't be written: is its folder there, may this user write to it, and is there room?", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{} can't be read: is it there, and may this user read it?", path.display())]
    Read { path: PathBuf, source: io::Error },
}

/// What was moved.
#[derive(Serialize)]
struct Moved {
    file: PathBuf,
    bytes: u64,
    /// The keys that seal the secrets in it.
    keys: Vec<String>,
    counts: IndexMap<&'static str, u64>,
}

/// Writes everything to a file, which has its name only once it is whole and on the disk.
pub(super) async fn export(
    settings: &Settings,
    arguments: ExportArguments,
) -> Result<Outcome, Box<dyn Error + Send + Sync>> {
    let ExportArguments { file: path, overwrite } = arguments;
    if !overwrite && path.symlink_metadata().is_ok() {
        return Err(ExportFileError::Exists(path).into());
    }
    let failed = |source| ExportFileError::Write { path: path.clone(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let store = ChosenStore::open_beside(settings).await?;
    // It is made with mode 600: it holds what teams' sites look like, and hashes of their tokens.
    let partial = NamedTempFile::new_in(folder).map_err(failed)?;
    let file = File::from_std(partial.as_file().try_clone().map_err(failed)?);
    let exported = write(&store, file).await;
    store.close().await;
    let (totals, keys) = exported?;
    if overwrite {
        partial.persist(&path).map_err(|error| failed(error.error))?;
    } else {
        partial.persist_noclobber(&path).map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => ExportFileError::Exists(path.clone()),
            _ => failed(error.error),
        })?;
    }
    fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
    let note = if keys.is_empty() {
        "No secret of a webhook is in it, so it takes no key.\n".to_owned()
    } else {
        let source = sealing::source(settings);
        format!(
            "The secrets of webhooks in it are sealed, and the keys to them are not in it: the server that takes it needs {source}, too.\n"
        )
    };
    Ok(outcome(&path, &totals, &keys)?.with_note(&note))
}

async fn write(store: &ChosenStore, mut file: File) -> Result<(Totals, Vec<KeyId>), TransferError> {
    let totals = transfer::export(store.transfer(), &mut file).await?;
    file.sync_all().await.map_err(TransferError::Write)?;
    Ok((totals, sealing_keys(store).await?))
}

/// Moves the content of a file into a new store, of which the folder or the tables are made if they are missing.
pub(super) async fn import(
    settings: &Settings,
    arguments: ImportArguments,
) -> Result<Outcome, Box<dyn Error + Send + Sync>> {
    let ImportArguments { file: path } = arguments;
    if let Place::Memory = settings.place()? {
        return Err(StoreChoiceError::NothingKept.into());
    }
    let file = File::open(&path).await.map_err(|source| ExportFileError::Read { path: path.clone(), source })?;
    // As a server does, so that none works on the same file.
    let store = ChosenStore::open(settings).await?;
    let imported = read(&store, file).await;
    store.close().await;
    let (totals, keys) = imported?;
    let at_hand = sealing::ids_at_hand(settings).unwrap_or_default();
    let missing: Vec<String> = keys.iter().filter(|key| !at_hand.contains(key)).map(ToString::to_string).collect();
    let mut note = "Everything was read back, and is as it was exported. Start a server on it only once the former one has ended, \
                    or both check and deliver.\n"
        .to_owned();
    if !missing.is_empty() {
        note.push_str(&format!(
            "No server starts on it without {}: bring the file with the keys of the former server to {}.\n",
            missing.join(", "),
            sealing::source(settings)
        ));
    }
    Ok(outcome(&path, &totals, &keys)?.with_note(&note))
}

async fn read(store: &ChosenStore, file: File) -> Result<(Totals, Vec<KeyId>), TransferError> {
    let totals = transfer::import(store.transfer(), BufReader::with_capacity(BUFFER, file)).await?;
    Ok((totals, sealing_keys(store).await?))
}

/// Returns the keys that seal the secrets in a store.
async fn sealing_keys(store: &ChosenStore) -> Result<Vec<KeyId>, StoreError> {
    Ok(store.store().sealed_by_key().await?.into_keys().collect())
}

fn outcome(path: &Path, totals: &Totals, keys: &[KeyId]) -> Result<Outcome, ExportFileError> {
    let bytes = fs::metadata(path).map_err(|source| ExportFileError::Read { path: path.to_owned(), source })?.len();
    let counted = totals.counts().filter(|(kind, _)| *kind != Kind::NewestPosition);
    let moved = Moved {
        file: absolute(path),
        bytes,
        keys: keys.iter().map(ToString::to_string).collect(),
        counts: counted.map(|(kind, count)| (kind.as_str(), count)).collect(),
    };
    Ok(Outcome::thing(&moved))
}
