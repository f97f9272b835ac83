//! The command line: settings, the file that has more of them, and the command to run instead of serving.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::{admin::Admin, settings::Settings};

/// The accessibility check service: HTTP API, workers and scheduler in one process.
///
/// Every setting can come from a flag, an environment variable or the file that --config names; a flag outweighs a
/// variable, and a variable the file. In the file the names are those of the flags without the dashes in front.
#[derive(Debug, Parser)]
#[command(name = "a11ycheck-server", version)]
pub(crate) struct Arguments {
    /// A TOML file with settings, and with the plans on offer as tables named plan.
    #[arg(long, env = "A11YCHECK_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) settings: Settings,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// What to do instead of serving.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Manages teams, plans, tokens and checks where the server keeps them (--data-dir or --database-url, before `admin`), and
    /// examines this machine.
    Admin(Admin),
}

impl Arguments {
    /// Returns flags and variables, completed from the file where they are not set, and the command.
    pub(crate) fn settled(self) -> Result<(Settings, Option<Command>), SettingsError> {
        let Some(file) = self.config else { return Ok((self.settings, self.command)) };
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(source) => return Err(SettingsError::File { file, source }),
        };
        match toml::from_str(&text) {
            Ok(below) => Ok((self.settings.over(below), self.command)),
            Err(source) => Err(SettingsError::Syntax { file, source }),
        }
    }
}

/// The cause why the settings file can't be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    #[error("--config {}: the file can't be read", file.display())]
    File {
        file: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("--config {}", file.display())]
    Syntax {
        file: PathBuf,
        #[source]
        source: toml::de::Error,
    },
}
