//! PgBouncer in front of the database of the tests.

use std::{
    collections::HashMap,
    env, fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use sqlx::{Connection as _, PgConnection, Row as _, postgres::PgConnectOptions};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    net::UnixStream,
    process::{Child, Command},
};
use url::Url;

/// The port of one that listens only on a socket in its own folder.
const PORT: u16 = 6432;

/// A PgBouncer for one test, with PgBouncer's defaults for everything that the test does not set. Ends when it is
/// dropped.
pub(crate) struct PgBouncer {
    folder: TempDir,
    /// Kept, so that it is killed on drop.
    _process: Child,
}

impl PgBouncer {
    /// Begins with `settings`, lines of its configuration. It asks for no password.
    pub(crate) async fn start(settings: &str) -> Self {
        Self::start_at(PORT, settings).await
    }

    /// Begins with TLS alone, on a port of 127.0.0.1, with a certificate and its key in PEM.
    pub(crate) async fn start_with_tls(port: u16, certificate: &str, key: &str) -> Self {
        let files = tempfile::tempdir().unwrap();
        fs::set_permissions(files.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let [certificate, key] = [("certificate.pem", certificate), ("key.pem", key)].map(|(name, text)| {
            let path = files.path().join(name);
            fs::write(&path, text).unwrap();
            // PgBouncer, which runs as another user, reads it: the key is this test's own.
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
            path
        });
        let settings = format!(
            "listen_addr = 127.0.0.1\nclient_tls_sslmode = require\nclient_tls_cert_file = {}\nclient_tls_key_file = {}",
            certificate.display(),
            key.display()
        );
        // It has read both files when it listens.
        Self::start_at(port, &settings).await
    }

    async fn start_at(port: u16, settings: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // It runs as another user than root, and makes its socket here.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let file = folder.path().join("pgbouncer.ini");
        let socket = folder.path().display();
        let url = Url::parse(&super::url()).unwrap();
        let (database, user) = (of_database(&url), url.username());
        let text = format!(
            "[databases]\n* = {database}\n[pgbouncer]\nlisten_port = {port}\nunix_socket_dir = {socket}\nauth_type = any\nadmin_users = {user}\n{settings}\n"
        );
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let mut process = command(&file).stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap()).lines();
        let mut seen = Vec::new();
        while UnixStream::connect(folder.path().join(format!(".s.PGSQL.{port}"))).await.is_err() {
            match log.next_line().await.unwrap() {
                Some(line) => seen.push(line),
                None => panic!("PgBouncer ended: {seen:?}"),
            }
        }
        // The process must not block because nobody reads its log.
        tokio::spawn(async move { while let Ok(Some(_)) = log.next_line().await {} });
        Self { folder, _process: process }
    }

    /// Returns the database's address through it.
    pub(crate) fn url(&self) -> String {
        let mut url = Url::parse(&super::url()).unwrap();
        let kept: Vec<(String, String)> =
            url.query_pairs().into_owned().filter(|(key, _)| !matches!(key.as_str(), "host" | "port")).collect();
        let socket = self.folder.path().to_str().unwrap().to_owned();
        url.query_pairs_mut()
            .clear()
            .extend_pairs(kept)
            .append_pair("host", &socket)
            .append_pair("port", &PORT.to_string());
        url.into()
    }

    /// Opens a connection to the database through it.
    pub(crate) async fn connect(&self) -> PgConnection {
        self.connect_to(None).await
    }

    /// Waits until a client waits for a session.
    pub(crate) async fn has_waiting_client(&self) {
        let mut console = self.connect_to(Some("pgbouncer")).await;
        loop {
            let pools = sqlx::raw_sql("SHOW POOLS").fetch_all(&mut console).await.unwrap();
            if pools.iter().any(|pool| pool.try_get::<i32, _>("cl_waiting").unwrap() > 0) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn connect_to(&self, database: Option<&str>) -> PgConnection {
        let options: PgConnectOptions = self.url().parse().unwrap();
        let options = database.into_iter().fold(options, PgConnectOptions::database);
        // One of the parameters that it refuses without further settings.
        PgConnection::connect_with(&options.extra_float_digits(None)).await.unwrap()
    }
}

/// Returns the connection string of libpq with which it reaches the database.
fn of_database(url: &Url) -> String {
    let query: HashMap<_, _> = url.query_pairs().into_owned().collect();
    let of_query = |key: &str| query.get(key).cloned();
    let host = of_query("host").or_else(|| url.host_str().map(str::to_owned)).unwrap();
    let port = of_query("port").unwrap_or_else(|| url.port().unwrap_or(5432).to_string());
    let mut database = format!("host={host} port={port} user={}", url.username());
    if let Some(password) = url.password() {
        database.push_str(&format!(" password={password}"));
    }
    database
}

/// Builds the command. PgBouncer, like PostgreSQL, refuses to be run by root; then it is run by the user that its
/// package creates.
fn command(file: &Path) -> Command {
    let program = program();
    let mut command = if rustix::process::geteuid().is_root() {
        let mut setpriv = Command::new("setpriv");
        setpriv.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]).arg(program);
        setpriv
    } else {
        Command::new(program)
    };
    command.arg(file);
    command
}

/// Returns the path of PgBouncer.
///
/// # Panics
/// If there is none: a test that needs it is never skipped.
fn program() -> PathBuf {
    if let Some(program) = env::var_os("A11YCHECK_PGBOUNCER") {
        return program.into();
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from));
    folders.map(|folder| folder.join("pgbouncer")).find(|program| program.is_file()).unwrap_or_else(|| {
        panic!(
            "pgbouncer was not found: run the tests with `cargo xtask test`, which installs it, or run \
             `apt-get install --no-install-recommends pgbouncer`, or set A11YCHECK_PGBOUNCER to its path"
        )
    })
}
