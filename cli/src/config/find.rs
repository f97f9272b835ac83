//! Finding and reading the file.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{ConfigFile, keys};

/// The name of the file.
const NAME: &str = "a11ycheck.toml";

/// The reason why there is no configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file can't be read.
    #[error("{} could not be read", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is not TOML, or a value is of another type.
    #[error("{} is not a configuration: line {line}: {reason}", file.display())]
    Invalid {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The reason. The line itself is not shown: it may have a secret.
        reason: String,
    },
    /// The file has a key that this program does not know.
    #[error("{}: there is no key {key}; did you mean {nearest}?", file.display())]
    UnknownKey {
        /// The file.
        file: PathBuf,
        /// The key.
        key: String,
        /// The nearest key that is known.
        nearest: String,
    },
    /// A value is wrong.
    #[error("{}: {reason}", file.display())]
    Value {
        /// The file.
        file: PathBuf,
        /// The key and what is wrong with its value.
        reason: String,
    },
}

/// A configuration with the folder that its paths are relative to.
#[derive(Debug, Clone, Default)]
pub struct Configuration {
    /// The file, if there is one.
    pub file: Option<PathBuf>,
    /// Its folder; the current one without a file.
    pub folder: PathBuf,
    /// Its content.
    pub content: ConfigFile,
}

impl Configuration {
    /// Reads the file that is named, or the one in `current` or in the nearest folder above it, up to the root of the
    /// repository. None of them is an empty configuration.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn load(named: Option<&Path>, current: &Path) -> Result<Self, ConfigError> {
        let file = match named {
            Some(file) => file.to_owned(),
            None => match found_from(current) {
                Some(file) => file,
                None => return Ok(Self { file: None, folder: current.to_owned(), content: ConfigFile::default() }),
            },
        };
        let text = std::fs::read_to_string(&file);
        let text = text.map_err(|source| ConfigError::Unreadable { file: file.clone(), source })?;
        let invalid = |error: toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let (line, reason) = (before.matches('\n').count() + 1, error.message().to_owned());
            ConfigError::Invalid { file: file.clone(), line, reason }
        };
        let table: toml::Table = toml::from_str(&text).map_err(invalid)?;
        if let Some(keys::UnknownKey { key, nearest }) = keys::unknown(&table) {
            return Err(ConfigError::UnknownKey { file, key, nearest });
        }
        // From the text, so that errors name the line.
        let content = toml::from_str(&text).map_err(invalid)?;
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok(Self { folder: folder.to_owned(), content, file: Some(file) })
    }

    /// Returns a path of the file as seen from the current folder.
    pub fn path(&self, path: &Path) -> PathBuf {
        if self.file.is_some() { self.folder.join(path) } else { path.to_owned() }
    }

    /// Returns the error for a wrong value.
    pub fn wrong(&self, reason: impl Into<String>) -> ConfigError {
        ConfigError::Value { file: self.file.clone().unwrap_or_else(|| NAME.into()), reason: reason.into() }
    }
}

fn found_from(current: &Path) -> Option<PathBuf> {
    for folder in current.ancestors() {
        let file = folder.join(NAME);
        if file.is_file() {
            return Some(file);
        }
        if is_root(folder) {
            break;
        }
    }
    None
}

fn is_root(folder: &Path) -> bool {
    // In a work tree of Git, it is a file.
    [".git", ".hg", ".jj"].iter().any(|name| folder.join(name).exists())
}

/// Returns the root of the repository that contains a folder; the folder itself if it is in none.
pub fn project_root(folder: &Path) -> &Path {
    folder.ancestors().find(|folder| is_root(folder)).unwrap_or(folder)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_nearest_file_counts_and_none_above_the_repository() {
        let outer = tempfile::tempdir().unwrap();
        let (repository, inner) = (outer.path().join("repo"), outer.path().join("repo/app/src"));
        fs::create_dir_all(&inner).unwrap();
        fs::write(outer.path().join(NAME), "urls = ['/outer']").unwrap();
        fs::create_dir(repository.join(".git")).unwrap();
        assert_eq!(Configuration::load(None, &inner).unwrap().file, None);
        fs::write(repository.join(NAME), "urls = ['/repo']\nserve = 'dist'").unwrap();
        let found = Configuration::load(None, &inner).unwrap();
        assert_eq!(found.content.urls, ["/repo"]);
        assert_eq!(found.path(Path::new("dist")), repository.join("dist"));
        assert_eq!(project_root(&inner), repository);
    }

    #[test]
    fn a_mistake_names_the_file_and_the_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(NAME);
        let error = |text: &str| {
            fs::write(&file, text).unwrap();
            let error = Configuration::load(Some(&file), folder.path()).unwrap_err();
            crate::error::whole(&error)
        };
        assert!(error("ulrs = []").contains("did you mean urls?"));
        assert!(error("urls = 'x'").contains("line 1"), "{}", error("urls = 'x'"));
        assert!(error("[gate]\nmax = -1").contains("line 2"));
        for secret in ["X = 's3cret", "X = 's3cret' y", "X = ['s3cret']", "X = { y = 's3cret' }"] {
            let error = error(&format!("urls = []\n[headers]\n{secret}"));
            assert!(error.contains("line 3") && !error.contains("s3cret"), "{error}");
        }
    }
}
