//! Advice to operators about a browser that does not start, from what it wrote and the errors of the system.

use std::io;

use super::BrowserError;

const SANDBOX: &str = "the system gives it no sandbox; allow this user unprivileged user namespaces (Ubuntu 23.10 and later: an \
                       AppArmor profile for the browser, or sysctl kernel.apparmor_restrict_unprivileged_userns=0; in a \
                       container: a seccomp profile that permits them), install the package chromium-sandbox, or do without by \
                       --no-sandbox";
const LIBRARY: &str = "a library that it needs is missing; install it, or Chromium from the system's own packages";
const PROCESSES: &str = "the limit of processes and threads is reached; raise it (ulimit -u, TasksMax= of a systemd unit, \
                         --pids-limit of a container)";
const DISK: &str = "the disk of its temporary folder is full; make room, or set TMPDIR to a folder on another disk";
const FOLDER: &str =
    "it has no temporary folder; set TMPDIR to a folder that is there and in which this user may write";
const PROGRAM: &str = "the system does not run the program; name one that this user may run with --chromium or in \
                       A11YCHECK_CHROMIUM";
const GUARD: &str = "it goes around the egress guard; use Chromium itself, without a wrapper that changes its switches";
const PORT: &str = "no port on 127.0.0.1 could be opened for its traffic; see the limit of open files (ulimit -n)";
const SILENT: &str = "it runs, and does not answer; see that the machine has memory and processor time left";
const AUTHORITIES: &str = "it does not trust the authorities of --ca-certificates";
const CLOSED: &str = "the scanner was closed";
const UNKNOWN: &str = "check that Chromium runs for this user, or set A11YCHECK_CHROMIUM to another one";

/// Phrases that Chromium, the dynamic linker or a shell write when they give up (in lower case), with their meaning.
/// The first that is found counts.
const COMPLAINTS: [(&str, &str); 8] = [
    ("no usable sandbox", SANDBOX),
    // A system that permits user namespaces, but not those within them.
    ("failed to move to new namespace", SANDBOX),
    ("suid sandbox", SANDBOX),
    ("error while loading shared libraries", LIBRARY),
    ("cannot open shared object file", LIBRARY),
    ("resource temporarily unavailable", PROCESSES),
    ("cannot fork", PROCESSES),
    ("no space left on device", DISK),
];

impl BrowserError {
    /// Returns whether the browser did not start because the system gives it no sandbox.
    pub fn lacks_sandbox(&self) -> bool {
        self.advice() == SANDBOX
    }

    /// Returns the likely cause and what to do about it, in a phrase without paths and without the browser's own words.
    pub(crate) fn advice(&self) -> &'static str {
        match self {
            Self::Folder { source, .. } if source.kind() == io::ErrorKind::StorageFull => DISK,
            Self::Folder { .. } => FOLDER,
            Self::Spawn { source, .. } if source.kind() == io::ErrorKind::WouldBlock => PROCESSES,
            Self::Spawn { .. } => PROGRAM,
            Self::NotReady { complaints, .. } => {
                let said = complaints.to_lowercase();
                COMPLAINTS.iter().find(|(words, _)| said.contains(words)).map_or(UNKNOWN, |(_, cause)| cause)
            }
            Self::NoAnswer { .. } => SILENT,
            Self::Guard(_) => PORT,
            Self::GuardNotInForce => GUARD,
            Self::Authorities(_) => AUTHORITIES,
            Self::Closed => CLOSED,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn not_ready(complaints: &str) -> BrowserError {
        BrowserError::NotReady {
            program: "/usr/bin/chromium".into(),
            complaints: complaints.to_owned(),
            source: "the pipe was closed".into(),
        }
    }

    #[test]
    fn what_the_browser_says_points_at_the_cause() {
        for (said, cause) in [
            (
                ": [1:1:0101/000000.0:FATAL:content/browser/zygote_host/zygote_host_impl_linux.cc:128] No usable sandbox! If \
                 you are running on Ubuntu 23.10+ or another Linux distro that has disabled unprivileged user namespaces",
                SANDBOX,
            ),
            (
                ": FATAL:content/browser/zygote_host/zygote_host_impl_linux.cc:201] Check failed: . : Failed to move to new \
                 namespace: PID namespaces supported, Network namespace supported, but failed: errno = Operation not permitted",
                SANDBOX,
            ),
            (": chromium: error while loading shared libraries: libnss3.so: cannot open shared object file", LIBRARY),
            (
                ": ERROR:base/threading/platform_thread_posix.cc:147] pthread_create: Resource temporarily unavailable",
                PROCESSES,
            ),
            (": /usr/bin/chromium: 12: Cannot fork", PROCESSES),
            (
                ": WARNING:sandbox/policy/linux/sandbox_linux.cc:405] InitializeSandbox() called with multiple threads",
                UNKNOWN,
            ),
            (": something new", UNKNOWN),
            ("", UNKNOWN),
        ] {
            assert_eq!(not_ready(said).advice(), cause, "{said}");
        }
    }

    #[test]
    fn what_the_system_says_does_too() {
        let folder = |kind: io::ErrorKind| BrowserError::Folder { folder: "/nowhere".into(), source: kind.into() };
        assert_eq!(folder(io::ErrorKind::NotFound).advice(), FOLDER);
        assert_eq!(folder(io::ErrorKind::StorageFull).advice(), DISK);
        let spawn = |kind: io::ErrorKind| BrowserError::Spawn { program: "/bin/x".into(), source: kind.into() };
        assert_eq!(spawn(io::ErrorKind::WouldBlock).advice(), PROCESSES);
        assert_eq!(spawn(io::ErrorKind::PermissionDenied).advice(), PROGRAM);
    }
}
