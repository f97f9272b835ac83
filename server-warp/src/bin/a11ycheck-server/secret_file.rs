//! Files that hold secrets, such as keys and passwords.

use std::{
    fs::File,
    io::{self, Read as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use zeroize::Zeroizing;

/// The permission bits that such a file must not have: writing for its group, and everything for others. The group may
/// read it, as it may read secrets that are mounted into containers.
const FORBIDDEN: u32 = 0o027;

/// The reason why a file with a secret is not used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SecretFileError {
    #[error("{} can't be read", file.display())]
    Unreadable {
        file: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(
        "{0} has the permissions {mode:03o}: its group must not be able to change it, and others must have no access at all; \
         chmod 600 {0}",
        file.display()
    )]
    Permissions { file: PathBuf, mode: u32 },
}

/// Reads a file that only its owner, and perhaps its group, can read.
pub(crate) fn read(file: &Path) -> Result<Zeroizing<String>, SecretFileError> {
    let failed = |source| SecretFileError::Unreadable { file: file.to_owned(), source };
    let mut opened = File::open(file).map_err(failed)?;
    let mode = opened.metadata().map_err(failed)?.permissions().mode() & 0o777;
    if mode & FORBIDDEN != 0 {
        return Err(SecretFileError::Permissions { file: file.to_owned(), mode });
    }
    let mut text = Zeroizing::new(String::new());
    opened.read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, Permissions},
        io::Write as _,
    };

    use super::*;

    #[test]
    fn a_secret_that_others_can_reach_is_refused_with_its_permissions_and_the_command_that_helps() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"secret").unwrap();
        for (mode, shown) in [(0o644, "644"), (0o604, "604"), (0o620, "620"), (0o601, "601")] {
            fs::set_permissions(file.path(), Permissions::from_mode(mode)).unwrap();
            let error = read(file.path()).unwrap_err().to_string();
            assert!(error.contains(&format!("has the permissions {shown}")), "{error}");
            assert!(error.ends_with(&format!("chmod 600 {}", file.path().display())), "{error}");
        }
        for mode in [0o600, 0o400, 0o440, 0o640] {
            fs::set_permissions(file.path(), Permissions::from_mode(mode)).unwrap();
            assert_eq!(*read(file.path()).unwrap(), "secret", "{mode:o}");
        }
    }
}
