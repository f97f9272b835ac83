//! The folder in which this program keeps what is its own, where the settings name none.

use std::{env, ffi::OsString, path::PathBuf};

/// Returns the folder: the first one of `$STATE_DIRECTORY`, which systemd sets and separates by colons; otherwise the one that
/// the XDG base directory specification gives for the state of programs. `None` where not even `$HOME` is set.
pub(crate) fn default() -> Option<PathBuf> {
    below(|name| env::var_os(name))
}

fn below(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = |name| {
        let first = variable(name)?.to_str()?.split(':').next().map(PathBuf::from);
        first.filter(|folder| folder.is_absolute())
    };
    folder("STATE_DIRECTORY")
        .or_else(|| Some(folder("XDG_STATE_HOME")?.join("a11ycheck")))
        .or_else(|| Some(folder("HOME")?.join(".local/state/a11ycheck")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_and_keys_are_looked_for_where_the_system_has_what_services_keep() {
        let folder = |set: &[(&str, &str)]| {
            below(|name| set.iter().find(|(set, _)| *set == name).map(|(_, value)| OsString::from(value)))
        };
        let all = [("STATE_DIRECTORY", "/var/lib/a:/var/lib/b"), ("XDG_STATE_HOME", "/x"), ("HOME", "/h")];
        assert_eq!(folder(&all), Some("/var/lib/a".into()));
        assert_eq!(folder(&all[1..]), Some("/x/a11ycheck".into()));
        assert_eq!(folder(&all[2..]), Some("/h/.local/state/a11ycheck".into()));
        assert_eq!(folder(&[("HOME", "here")]), None);
    }
}
