//! One browser process with its helpers, its private folder, and its end.

use std::{
    ffi::OsString,
    io,
    net::SocketAddr,
    os::fd::OwnedFd,
    path::Path,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use command_fds::{CommandFdExt as _, FdMapping};
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, waitpgid};
use tokio::{
    io::AsyncReadExt as _,
    net::unix::pipe,
    process::{Child, ChildStderr, Command},
    sync::watch,
};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{
    authorities::Authorities,
    flags::{Sandbox, Sound, switches},
    memory::{HEAP_NOTICE, offer_to_the_kernel, resident},
    profile::Profile,
};
use crate::cdp::Connection;

/// The number of bytes of the browser's error output that are kept, to say why it did not start.
const KEPT_COMPLAINTS: usize = 4096;

/// The time limit of waiting for the last error output of a browser that has ended.
const LAST_WORDS_TIME: Duration = Duration::from_secs(2);

/// The variables of our environment that the browser receives. Everything else, above all secrets, is withheld.
const PASSED_ON: [&str; 5] = ["PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "LD_LIBRARY_PATH", "TZ"];

/// A running browser. Dropping it kills it with all its helper processes; its folder is deleted when they have ended.
#[derive(Debug)]
pub(super) struct Process {
    group: Arc<Group>,
    connection: Connection,
    complaints: Arc<Mutex<Vec<u8>>>,
    /// Fires when the last process of the group has closed its standard error.
    fell_silent: CancellationToken,
    /// The number of times that it has written that a page has used up its heap.
    heap_notices: watch::Receiver<u64>,
    gone: CancellationToken,
}

impl Process {
    /// Starts the program with the folder `profile` and a process group of its own. It is killed when `stop` fires.
    pub(super) fn spawn(
        program: &Path,
        profile: Profile,
        proxy: SocketAddr,
        (sandbox, sound): (Sandbox, Sound),
        authorities: Option<&Authorities>,
        stop: CancellationToken,
    ) -> io::Result<Self> {
        let folder = profile.path();
        if let Some(authorities) = authorities {
            authorities.install(folder)?;
        }
        let (commands_in, commands_out) = io::pipe()?;
        let (answers_in, answers_out) = io::pipe()?;
        let mut command = Command::new(program);
        command
            .args(switches(folder, proxy, sandbox, sound))
            .env_clear()
            .envs(environment(folder))
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        // Chromium reads commands from descriptor 3 and writes its messages to descriptor 4.
        command
            .fd_mappings(vec![
                FdMapping { parent_fd: commands_in.into(), child_fd: 3 },
                FdMapping { parent_fd: answers_out.into(), child_fd: 4 },
            ])
            .map_err(io::Error::other)?;
        let mut child = command.spawn()?;
        // Our copies of the browser's ends are closed, so that the stream ends when the browser exits.
        drop(command);
        let group = Arc::new(Group::of(&child)?);
        group.offer_to_the_kernel();
        let connection = Connection::open(
            pipe::Receiver::from_owned_fd(OwnedFd::from(answers_in))?,
            pipe::Sender::from_owned_fd(OwnedFd::from(commands_out))?,
        );
        let complaints = Arc::new(Mutex::new(Vec::new()));
        let fell_silent = CancellationToken::new();
        let (counted, heap_notices) = watch::channel(0);
        if let Some(stderr) = child.stderr.take() {
            tokio::spawn(keep_last(stderr, Arc::clone(&complaints), counted, fell_silent.clone().drop_guard()));
        }
        let gone = CancellationToken::new();
        let end = End { group: Arc::clone(&group), connection: connection.clone(), profile, gone: gone.clone(), stop };
        tokio::spawn(end.of(child));
        Ok(Self { group, connection, complaints, fell_silent, heap_notices, gone })
    }

    pub(super) const fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Kills the browser and its helpers. Everything that waits for it fails at once.
    pub(super) fn kill(&self) {
        self.connection.close();
        self.group.kill();
    }

    /// Makes the kernel end the browser before this process when memory is short. To be called when it responds, with
    /// all its processes started.
    pub(super) fn offer_to_the_kernel(&self) {
        self.group.offer_to_the_kernel();
    }

    /// Returns how many bytes of memory the browser and its helpers use; `None` when it has ended.
    pub(super) fn memory(&self) -> Option<u64> {
        resident((*self.group.0.lock().unwrap_or_else(PoisonError::into_inner))?)
    }

    /// Returns a token that fires when the process was reaped and its folder deleted.
    pub(super) fn gone(&self) -> CancellationToken {
        self.gone.clone()
    }

    /// Returns the number of times that the browser has written that a page has used up its heap.
    pub(super) fn heap_notices(&self) -> watch::Receiver<u64> {
        self.heap_notices.clone()
    }

    /// Ends the browser, and returns the last lines of its error output.
    ///
    /// The end of a browser shows on one pipe, and its reasons come through another: they are waited for, but not for
    /// long, since a process that left the group could keep the pipe open.
    pub(super) async fn last_words(&self) -> String {
        self.kill();
        if tokio::time::timeout(LAST_WORDS_TIME, self.fell_silent.cancelled()).await.is_err() {
            tracing::debug!("a browser that was ended keeps its standard error open");
        }
        let bytes = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The process group of the browser: the browser, its helpers, and the shell script with which some distributions start
/// it.
#[derive(Debug)]
struct Group(Mutex<Option<Pid>>);

impl Group {
    fn of(child: &Child) -> io::Result<Self> {
        let pid = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        pid.map(|pid| Self(Mutex::new(Some(pid)))).ok_or_else(|| io::Error::other("the browser exited at once"))
    }

    fn offer_to_the_kernel(&self) {
        if let Some(group) = *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            offer_to_the_kernel(group);
        }
    }

    fn kill(&self) {
        let group = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // An error means that nothing is left to kill.
        if let Some(group) = *group {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// Kills what outlived the leader, and forgets the group: its number may soon belong to another one.
    async fn retire(&self) {
        self.kill();
        let Some(group) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        // Chromium leaves its helpers to the process that adopts orphans. In a container without an init that is this
        // process, and they would stay zombies for the life of the container. Where it is another one, the first call
        // says that there is nothing to wait for.
        for _ in 0..20 {
            match waitpgid(group, WaitOptions::NOHANG) {
                Err(_) => return,
                Ok(Some(_)) => {}
                Ok(None) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }
}

/// The work to do when the process ends, for whatever reason.
struct End {
    group: Arc<Group>,
    connection: Connection,
    profile: Profile,
    gone: CancellationToken,
    stop: CancellationToken,
}

impl End {
    async fn of(self, mut child: Child) {
        // It also fires when this task is dropped with its runtime.
        let _gone = self.gone.drop_guard();
        let ended = async {
            tokio::select! {
                () = self.connection.closed() => {}
                () = self.stop.cancelled() => {}
            }
        };
        let status = tokio::select! {
            status = child.wait() => status,
            () = ended => {
                self.group.kill();
                child.wait().await
            }
        };
        self.group.retire().await;
        self.connection.close();
        tracing::debug!(exit = ?status, "a browser ended");
        self.profile.delete().await;
    }
}

/// Keeps the last part of the browser's error output, and counts the notices of pages that have used up their heap.
async fn keep_last(
    mut stderr: ChildStderr,
    complaints: Arc<Mutex<Vec<u8>>>,
    heap_notices: watch::Sender<u64>,
    _fell_silent: DropGuard,
) {
    let mut chunk = [0; 1024];
    // The end of the last chunk, which may be the beginning of a notice, comes before the next one.
    let mut recent = Vec::new();
    while let Ok(read @ 1..) = stderr.read(&mut chunk).await {
        recent.extend_from_slice(&chunk[..read]);
        let notices = recent.windows(HEAP_NOTICE.len()).filter(|words| *words == HEAP_NOTICE).count();
        heap_notices.send_if_modified(|count| {
            *count += notices as u64;
            notices > 0
        });
        recent.drain(..recent.len().saturating_sub(HEAP_NOTICE.len() - 1));
        let mut kept = complaints.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&chunk[..read]);
        let surplus = kept.len().saturating_sub(KEPT_COMPLAINTS);
        kept.drain(..surplus);
    }
}

fn environment(folder: &Path) -> Vec<(&'static str, OsString)> {
    let passed_on = PASSED_ON.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)));
    let own = ["HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"]
        .map(|name| (name, folder.as_os_str().to_owned()));
    passed_on.chain(own).chain([("LANG", "en_US.UTF-8".into())]).collect()
}
