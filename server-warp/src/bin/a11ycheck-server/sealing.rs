//! The source of the keys that seal the secrets in the database.

use std::{
    env,
    fs::{DirBuilder, File},
    io::{self, Write as _},
    os::unix::{ffi::OsStringExt as _, fs::DirBuilderExt as _},
    path::{Path, PathBuf},
    str::{self, Utf8Error},
};

use a11ycheck_core::{
    domain::SharedSetting,
    sealing::{KeyId, Keyring, KeyringError, SealingKey},
    service::{SealingError, Sharing},
    store::StoreError,
};
use zeroize::Zeroizing;

use crate::{
    secret_file::{self, SecretFileError},
    settings::Settings,
    store::{ChosenStore, absolute},
};

/// The variable that contains keys themselves, not the name of a file: a flag would show them to every user of the
/// machine.
const KEYS: &str = "A11YCHECK_SEALING_KEYS";

/// The cause why there are no keys.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeyError {
    #[error("--sealing-key names a file, and {KEYS} holds keys: give one of them")]
    Twice,
    #[error("{KEYS} holds no sealing keys")]
    Variable(#[source] KeyringError),
    #[error(
        "{KEYS} is set, but not to text in UTF-8: put the keys into it as `a11ycheck-server admin sealing new-key` \
         prints them, or unset it"
    )]
    Encoding(#[source] Utf8Error),
    #[error("the sealing keys can't be read")]
    File(#[source] SecretFileError),
    #[error("{} holds no sealing keys", file.display())]
    Text {
        file: PathBuf,
        #[source]
        source: KeyringError,
    },
    #[error(
        "the secrets in this database are sealed, and no key to them was given. Missing: {missing}. Name the file with the key with \
         --sealing-key FILE (A11YCHECK_SEALING_KEY_FILE), or put the key itself into {KEYS}; without either, {} is read",
        default.as_deref().unwrap_or_else(|| Path::new("no file")).display()
    )]
    Missing { missing: String, default: Option<PathBuf> },
    #[error(
        "there is no sealing key, and no folder to make one in: make one with `a11ycheck-server admin sealing new-key \
         --file FILE`, and name it with --sealing-key FILE (A11YCHECK_SEALING_KEY_FILE)"
    )]
    NoFolder,
    #[error("a sealing key can't be written to {}", file.display())]
    Write {
        file: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{} is there already, and is not overwritten", file.display())]
    Taken { file: PathBuf },
    #[error(
        "this takes the sealing key: name its file with --sealing-key FILE before `admin`, or in \
         A11YCHECK_SEALING_KEY_FILE, or put the key itself into {KEYS}"
    )]
    Needed,
    #[error("the database can't be asked for the sealing key that it needs")]
    Store(#[from] StoreError),
}

/// Returns the keys with which a server seals and opens. If none are given, and the database needs none yet, one is
/// made.
pub(crate) async fn for_server(settings: &Settings, chosen: &ChosenStore) -> Result<Keyring, KeyError> {
    if let Some(keys) = at_hand(settings)? {
        return Ok(keys);
    }
    // Data in memory end with the process, and so may the key.
    if !chosen.is_durable() {
        return Ok(Keyring::ephemeral());
    }
    let (default, store) = (default_file(settings), chosen.store());
    let mut needed: Vec<String> = store.sealed_by_key().await?.keys().map(ToString::to_string).collect();
    needed.extend(store.settings().await?.remove(&SharedSetting::SealingKey));
    if !needed.is_empty() {
        needed.sort_unstable();
        needed.dedup();
        return Err(KeyError::Missing { missing: needed.join(", "), default });
    }
    let file = default.ok_or(KeyError::NoFolder)?;
    let key = SealingKey::generate();
    match create(&file, &key) {
        Ok(()) => {
            let beside = match chosen.sharing() {
                Sharing::ManyServers => ". Other servers of this database need the same file",
                _ => "",
            };
            tracing::warn!(
                file = %file.display(), key = %key.id(),
                "Made a key that secrets in the database are sealed with. Keep a copy of the file apart from backups of the \
                 database: without it, webhooks can't be signed{beside}"
            );
            Ok(Keyring::new(key))
        }
        // Another server, which started at the same moment, has made it.
        Err(KeyError::Taken { file }) => read(&file),
        Err(error) => Err(error),
    }
}

/// Returns the keys for a command that needs them.
pub(crate) fn for_command(settings: &Settings) -> Result<Keyring, KeyError> {
    at_hand(settings)?.ok_or(KeyError::Needed)
}

/// Returns the ids of the keys that were given.
pub(crate) fn ids_at_hand(settings: &Settings) -> Result<Vec<KeyId>, KeyError> {
    Ok(at_hand(settings)?.map(|keys| keys.ids()).unwrap_or_default())
}

/// Returns the name of what holds the keys: a file, or a variable.
pub(crate) fn source(settings: &Settings) -> String {
    match (settings.sealing_key.as_ref(), default_file(settings).as_ref()) {
        _ if env::var_os(KEYS).is_some() => KEYS.to_owned(),
        (Some(file), _) | (None, Some(file)) => absolute(file).display().to_string(),
        (None, None) => "--sealing-key FILE".to_owned(),
    }
}

/// Returns advice for an operator whose keys don't fit the database.
pub(crate) fn advice(error: &SealingError, settings: &Settings) -> String {
    let source = source(settings);
    match error {
        SealingError::OtherKey { shared, .. } => format!(
            "put {shared} first among the keys in {source} (copy it from a server that runs); to seal with another key, see \
             `a11ycheck-server admin sealing rotate`"
        ),
        SealingError::MissingKey { key, .. } => format!("add {key} to the keys in {source}"),
        _ => format!("the keys are those in {source}"),
    }
}

/// Writes a key into a new file that only its owner can read. Whatever happens, the file exists as a whole or not at
/// all, and an existing one is left as it is.
pub(crate) fn create(file: &Path, key: &SealingKey) -> Result<(), KeyError> {
    let failed = |source| KeyError::Write { file: file.to_owned(), source };
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    };
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    // It is made with mode 600.
    let mut written = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    written.write_all(line(key).as_bytes()).map_err(failed)?;
    written.as_file().sync_all().map_err(failed)?;
    match written.persist_noclobber(file) {
        Ok(_) => File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(KeyError::Taken { file: file.to_owned() })
        }
        Err(error) => Err(failed(error.error)),
    }
}

/// Returns a key as a line of a file: with its id, which distinguishes keys.
pub(crate) fn line(key: &SealingKey) -> Zeroizing<String> {
    Zeroizing::new(format!("{} # {}\n", *key.reveal(), key.id()))
}

/// Returns the keys that the settings name, or those of the default file.
fn at_hand(settings: &Settings) -> Result<Option<Keyring>, KeyError> {
    let variable = env::var_os(KEYS).map(|keys| Zeroizing::new(keys.into_vec()));
    match (&settings.sealing_key, variable) {
        (Some(_), Some(_)) => Err(KeyError::Twice),
        (Some(file), None) => read(file).map(Some),
        (None, Some(keys)) => {
            let keys = str::from_utf8(&keys).map_err(KeyError::Encoding)?;
            Keyring::from_text(keys).map(Some).map_err(KeyError::Variable)
        }
        (None, None) => match default_file(settings) {
            Some(file) if file.exists() => read(&file).map(Some),
            Some(_) | None => Ok(None),
        },
    }
}

fn read(file: &Path) -> Result<Keyring, KeyError> {
    let text = secret_file::read(file).map_err(KeyError::File)?;
    Keyring::from_text(&text).map_err(|source| KeyError::Text { file: file.to_owned(), source })
}

/// Returns the default file: in the folder of the data, whether or not they lie in a PostgreSQL.
fn default_file(settings: &Settings) -> Option<PathBuf> {
    Some(settings.data_folder()?.join("sealing.key"))
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::*;

    #[test]
    fn a_key_that_was_written_is_read_back_and_only_its_owner_can_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/b/sealing.key");
        let key = SealingKey::generate();
        create(&file, &key).unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(read(&file).unwrap().ids(), [key.id()]);
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "nothing else is left");
    }

    #[test]
    fn a_file_with_a_key_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sealing.key");
        let first = SealingKey::generate();
        create(&file, &first).unwrap();
        assert!(matches!(create(&file, &SealingKey::generate()), Err(KeyError::Taken { .. })));
        assert_eq!(read(&file).unwrap().ids(), [first.id()]);
    }
}
