//! `a11ycheck-server manual`: man pages and shell completions, written from the flags, for packages.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::{Command, CommandFactory as _};
use clap_complete::{Shell, generate_to};
use clap_mangen::Man;

use crate::arguments::Arguments;

/// System administration tools and daemons.
const SECTION: &str = "8";
const SHELLS: [(Shell, &str); 3] = [(Shell::Bash, "bash"), (Shell::Fish, "fish"), (Shell::Zsh, "zsh")];

/// A folder or a file of the manual can't be written.
#[derive(Debug, thiserror::Error)]
#[error("the manual can't be written to {}: name a folder in which this user may write", folder.display())]
pub(crate) struct ManualError {
    folder: PathBuf,
    #[source]
    source: io::Error,
}

/// Writes a page for each command to `man` in `folder`, and the completions to `bash`, `fish` and `zsh` beside it, under
/// the names by which man and the shells look for them. Folders that are missing are made, and files that are there are
/// replaced.
pub(crate) fn write(folder: &Path) -> Result<(), ManualError> {
    write_all(folder).map_err(|source| ManualError { folder: folder.to_owned(), source })
}

fn write_all(folder: &Path) -> io::Result<()> {
    // What `help` repeats has pages of its own.
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let pages = folder.join("man");
    fs::create_dir_all(&pages)?;
    write_page(&command, &pages)?;
    for (shell, name) in SHELLS {
        let completions = folder.join(name);
        fs::create_dir_all(&completions)?;
        generate_to(shell, &mut Arguments::command(), "a11ycheck-server", completions)?;
    }
    Ok(())
}

/// Writes the page of a command, and those of the commands below it.
fn write_page(command: &Command, folder: &Path) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write_page(below, folder)?;
    }
    let source = format!("a11ycheck {}", env!("CARGO_PKG_VERSION"));
    Man::new(command.clone()).section(SECTION).source(source).generate_to(folder)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages_of(command: &Command, names: &mut Vec<String>) {
        names.push(format!("{}.{SECTION}", command.get_display_name().unwrap_or(command.get_name())));
        command.get_subcommands().for_each(|below| pages_of(below, names));
    }

    #[test]
    fn every_command_has_a_page_and_every_flag_is_in_it_and_in_the_completions() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path()).unwrap();
        let read = |path: &str| fs::read_to_string(folder.path().join(path)).unwrap_or_else(|_| panic!("{path}"));

        let mut command = Arguments::command().disable_help_subcommand(true);
        command.build();
        let mut names = Vec::new();
        pages_of(&command, &mut names);
        assert!(names.contains(&"a11ycheck-server-admin-team-create.8".to_owned()), "{names:?}");
        for name in &names {
            assert!(read(&format!("man/{name}")).contains(".TH"), "{name}");
        }

        let page = read("man/a11ycheck-server.8");
        let completions =
            ["bash/a11ycheck-server.bash", "fish/a11ycheck-server.fish", "zsh/_a11ycheck-server"].map(read);
        for flag in Arguments::command().get_arguments().filter_map(|argument| argument.get_long()) {
            assert!(page.contains(&flag.replace('-', "\\-")), "{flag}");
            assert!(completions.iter().all(|text| text.contains(flag)), "{flag}");
        }
    }

    #[test]
    fn a_folder_that_can_not_be_written_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = write(file.path()).unwrap_err().to_string();
        assert!(error.contains(&file.path().display().to_string()), "{error}");
    }
}
