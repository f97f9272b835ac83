//! The file systems on which SQLite is not safe: those that another machine, or a program, stands behind. Their locks may
//! not hold, and the shared memory of WAL is not shared over a network.
//! <https://www.sqlite.org/wal.html>, <https://www.sqlite.org/howtocorrupt.html>.

use std::path::Path;

/// Returns the name of the file system of a folder, if SQLite is not safe on it.
///
/// # Errors
/// Returns an error if the folder can't be read.
#[cfg(target_os = "linux")]
pub(crate) fn unsafe_kind(folder: &Path) -> std::io::Result<Option<&'static str>> {
    let magic = rustix::fs::statfs(folder)?.f_type;
    // The type of the field differs between architectures; the numbers have 32 bits.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "of 32 bits, whatever the type")]
    Ok(kind_of(magic as u32))
}

/// Elsewhere, nothing is known.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "as on Linux")]
pub(crate) fn unsafe_kind(_: &Path) -> std::io::Result<Option<&'static str>> {
    Ok(None)
}

/// The numbers of statfs(2), and of `linux/magic.h`.
#[cfg(any(target_os = "linux", test))]
const UNSAFE: [(u32, &str); 13] = [
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "SMB (CIFS)"),
    (0xfe53_4d42, "SMB"),
    // sshfs, S3 file systems, GlusterFS and the shared folders of some virtual machines; encrypted folders, too, which have
    // an exception of their own.
    (0x6573_5546, "a file system behind FUSE (such as sshfs)"),
    (0x0102_1997, "9p, a folder of the machine around this one"),
    (0x786f_4256, "a shared folder of VirtualBox"),
    (0x00c3_6400, "Ceph"),
    (0x5346_414f, "AFS"),
    (0x6b41_4653, "AFS"),
    (0x7375_7245, "Coda"),
    (0x564c, "NCP"),
    (0x0bd0_0bd0, "Lustre"),
];

#[cfg(any(target_os = "linux", test))]
fn kind_of(magic: u32) -> Option<&'static str> {
    UNSAFE.iter().find(|(known, _)| *known == magic).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_systems_over_a_network_are_known_by_their_numbers_and_those_of_disks_are_not_refused() {
        for (magic, name) in [(0x6969, "NFS"), (0xff53_4d42, "SMB (CIFS)"), (0x0102_1997, "9p")] {
            assert!(kind_of(magic).is_some_and(|kind| kind.starts_with(name)), "{name}");
        }
        // ext4, XFS, btrfs, tmpfs, overlayfs, ZFS.
        for magic in [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630, 0x2fc1_2fc1] {
            assert_eq!(kind_of(magic), None, "{magic:#x}");
        }
    }

    #[test]
    fn a_folder_of_this_machine_can_be_looked_at() {
        assert!(unsafe_kind(Path::new("/")).is_ok());
        assert!(!cfg!(target_os = "linux") || unsafe_kind(Path::new("/nowhere/at/all")).is_err());
    }
}
