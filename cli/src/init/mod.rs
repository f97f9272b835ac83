//! The command `init`: files to begin with.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::arguments::Ci;

const CONFIG: &str = include_str!("a11ycheck.toml");
const GITHUB: &str = include_str!("github.yml");
const GITLAB: &str = include_str!("gitlab.yml");
/// Folders that builds of sites are often in.
const BUILDS: [&str; 6] = ["dist", "build", "out", "public", "_site", "site"];

/// The reason why files were not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InitError {
    /// A file is there already. Nothing was written.
    #[error("{} is there already: keep it, or replace it with --force", .0.display())]
    Exists(PathBuf),
    /// A file can't be written.
    #[error("{} could not be written", file.display())]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

/// Writes a configuration, and a CI file if one is asked for, into a folder, and returns what was written.
///
/// # Errors
/// [`InitError`].
pub fn init(folder: &Path, ci: Option<Ci>, force: bool) -> Result<Vec<PathBuf>, InitError> {
    let mut files = vec![(folder.join("a11ycheck.toml"), config_for(folder))];
    match ci {
        Some(Ci::Github) => files.push((folder.join(".github/workflows/a11ycheck.yml"), GITHUB.to_owned())),
        Some(Ci::Gitlab) => files.push((folder.join(".gitlab/a11ycheck.yml"), GITLAB.to_owned())),
        None => {}
    }
    if let Some((file, _)) = files.iter().find(|(file, _)| !force && file.exists()) {
        return Err(InitError::Exists(file.clone()));
    }
    for (file, content) in &files {
        let unwritable = |source| InitError::Unwritable { file: file.clone(), source };
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).map_err(unwritable)?;
        }
        fs::write(file, content).map_err(unwritable)?;
    }
    Ok(files.into_iter().map(|(file, _)| file).collect())
}

/// Returns a configuration that serves the first build that is there.
fn config_for(folder: &Path) -> String {
    let build = BUILDS.into_iter().find(|name| folder.join(name).join("index.html").is_file());
    CONFIG.replace("serve = \"dist\"", &format!("serve = \"{}\"", build.unwrap_or("dist")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{arguments::CheckArguments, config::Configuration, plan::Plan};

    #[test]
    fn what_is_written_can_be_read_and_serves_the_build_that_is_there() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("out")).unwrap();
        fs::write(folder.path().join("out/index.html"), "").unwrap();
        let files = init(folder.path(), Some(Ci::Github), false).unwrap();
        assert_eq!(files.len(), 2);
        let config = Configuration::load(None, folder.path()).unwrap();
        assert_eq!(config.content.serve.as_deref(), Some(Path::new("out")));
        Plan::new(&CheckArguments::default(), &config).unwrap();
        assert!(matches!(init(folder.path(), None, false), Err(InitError::Exists(_))));
        init(folder.path(), Some(Ci::Gitlab), true).unwrap();
    }

    #[test]
    fn every_commented_setting_can_be_switched_on() {
        let switched_on: String = CONFIG
            .lines()
            .map(|line| line.strip_prefix("#: ").unwrap_or(line))
            .filter(|line| !line.starts_with("start =") && !line.starts_with("ready-"))
            .map(|line| format!("{line}\n"))
            .collect();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a11ycheck.toml");
        fs::write(&file, &switched_on).unwrap();
        let config = Configuration::load(Some(&file), folder.path()).unwrap();
        Plan::new(&CheckArguments::default(), &config).unwrap();
        assert!(!config.content.accept.is_empty() && !config.content.gate.pages.is_empty());
    }
}
