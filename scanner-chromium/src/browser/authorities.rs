//! The operator's own authorities, for the browser.
//!
//! On Linux, Chromium trusts the authorities of its maker, and those in the database of Mozilla's NSS in the user's
//! home. Every browser of ours has a home of its own, so a database is made once, with NSS's own tool, and copied into
//! each. (Policies would do for the whole browser; the headless shell does not read them.
//! `--ignore-certificate-errors-spki-list` is no list of authorities: any server that sends such a certificate along
//! with its own passes.)
//!
//! Whether a browser reads that database is tested: it also has an authority that was made for this process alone, and
//! at its start the browser must open a site with a certificate of this authority.

use std::{
    fs, io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    sync::Arc,
};

use a11ycheck_core::net::{AddressPolicy, ResolveError, Resolver};
use async_trait::async_trait;
use rcgen::{BasicConstraints, CertificateParams, GeneralSubtree, IsCa, Issuer, KeyPair, NameConstraints};
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    process::Command,
    task::AbortHandle,
    time::{Duration, Instant, timeout},
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

use super::context::Context;
use crate::{
    cdp::{
        CdpError, Connection, IgnoreEvents, Session,
        commands::{CreateTarget, Navigate},
    },
    guard::{Egress, Guard, GuardError, Reach},
    places::Places,
};

/// NSS's tool for these databases.
const TOOL: &str = "certutil";
/// The time limit of one call of the tool. It takes a tenth of a second.
const TOOL_TIME: Duration = Duration::from_secs(60);
/// The folder of the database in the user's home, where Chromium looks for it.
const FOLDER: &str = ".pki/nssdb";
/// The files of the database. A third one, of modules, is made by the program that opens it.
const FILES: [&str; 2] = ["cert9.db", "key4.db"];
/// The trust in each certificate: to issue certificates of servers, and as a server's own certificate. It may be an
/// authority, or the certificate that a machine in an intranet has signed itself.
const TRUST: &str = "CP,,";
/// A name that no resolver knows (RFC 6761).
const NAME: &str = "authority-canary.invalid";
/// The number of times that the canary's site is opened, in case a connection breaks.
const CANARY_TRIES: u32 = 3;
/// The number of bytes that the canary's connections may move.
const CANARY_BYTES: u64 = 1024 * 1024;

/// The reason why the browser does not trust the operator's own authorities.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthoritiesError {
    /// The tool that puts them into a database is not installed.
    #[error(
        "{TOOL} was not found, which makes the browser trust authorities of your own: install libnss3-tools \
         (apt-get install libnss3-tools; nss-tools in other distributions)"
    )]
    ToolMissing,
    /// The tool could not be started.
    #[error("{} could not be run", program.display())]
    Run {
        /// The tool.
        program: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The tool ended with an error.
    #[error("{} failed ({status}): {complaints}", program.display())]
    Tool {
        /// The tool.
        program: PathBuf,
        /// Its exit status.
        status: ExitStatus,
        /// Its error output.
        complaints: String,
    },
    /// The database could not be written, read or installed, or the site that tests the browser could not be opened.
    #[error("the browser's list of authorities could not be written")]
    Files(#[from] io::Error),
    /// The guard in front of the site that tests the browser could not be opened.
    #[error("the egress guard could not be opened")]
    Guard(#[source] GuardError),
    /// The authority for the test of the browser could not be made.
    #[error("no certificate could be made to try the browser with")]
    Canary(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The browser does not read the database.
    #[error(
        "the browser does not trust authorities that are put into its profile ({0}): use chromium-headless-shell or chromium of \
         your distribution"
    )]
    NotTaken(String),
}

/// The reason why a browser did not open the site that tests its authorities.
pub(super) enum TrialError {
    /// A command to the browser failed.
    Protocol(CdpError),
    /// The browser does not trust the authority, or the site could not be made.
    Authorities(AuthoritiesError),
}

impl From<CdpError> for TrialError {
    fn from(error: CdpError) -> Self {
        Self::Protocol(error)
    }
}

impl From<AuthoritiesError> for TrialError {
    fn from(error: AuthoritiesError) -> Self {
        Self::Authorities(error)
    }
}

/// A database of authorities, as files, and the site that tests it.
pub(super) struct Authorities {
    files: Vec<(&'static str, Vec<u8>)>,
    canary: TlsAcceptor,
}

impl std::fmt::Debug for Authorities {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authorities").finish_non_exhaustive()
    }
}

impl Authorities {
    /// Makes a database of these certificates and of the canary's authority.
    pub(super) async fn prepare(certificates: &[CertificateDer<'static>]) -> Result<Self, AuthoritiesError> {
        let program = Places::here().program(TOOL).ok_or(AuthoritiesError::ToolMissing)?;
        let (own, canary) = canary().map_err(AuthoritiesError::Canary)?;
        let folder = tempfile::tempdir()?;
        let database = folder.path().join("nssdb");
        fs::create_dir(&database)?;
        let database_name = format!("sql:{}", database.display());
        run(&program, &["-N", "--empty-password", "-d", &database_name]).await?;
        let file = folder.path().join("certificate.der");
        let file_name = file.display().to_string();
        for (number, certificate) in certificates.iter().chain([&own]).enumerate() {
            fs::write(&file, certificate)?;
            let name = format!("a11ycheck-{number}");
            run(&program, &["-A", "-d", &database_name, "-n", &name, "-t", TRUST, "-i", &file_name]).await?;
        }
        let files = FILES.map(|name| Ok::<_, io::Error>((name, fs::read(database.join(name))?)));
        Ok(Self { files: files.into_iter().collect::<Result<_, _>>()?, canary })
    }

    /// Copies the database into the home of a browser that has not started yet.
    pub(super) fn install(&self, home: &Path) -> io::Result<()> {
        let folder = home.join(FOLDER);
        fs::create_dir_all(&folder)?;
        self.files.iter().try_for_each(|(name, bytes)| fs::write(folder.join(name), bytes))
    }

    /// Requires the browser to open a site whose certificate an authority of the database has issued.
    pub(super) async fn require(&self, connection: &Connection, deadline: Instant) -> Result<(), TrialError> {
        let site = Site::open(self.canary.clone()).await.map_err(AuthoritiesError::Files)?;
        let policy = AddressPolicy::builder().allow_network(IpAddr::from(Ipv4Addr::LOCALHOST).into()).build();
        let reach = Reach::of_policy(policy);
        let egress = Egress::Judged { reach, resolver: Arc::new(ThisMachine), proxy: None };
        let guard = Guard::open(egress, CANARY_BYTES).await.map_err(AuthoritiesError::Guard)?;
        let context = Context::create(connection, guard.address(), deadline).await?;
        let blank = CreateTarget { url: "about:blank", browser_context_id: Some(context.id()) };
        let target = connection.call(blank, deadline).await?.target_id;
        let session = Session::attach(connection, &target, Arc::new(IgnoreEvents), deadline).await?;
        let url = format!("https://{NAME}:{}/", site.address.port());
        let mut tries = 0;
        loop {
            tries += 1;
            let navigated = session.call(Navigate { url: &url }, deadline).await?;
            let Some(error) = navigated.error_text else { return Ok(()) };
            // Any error but that of a certificate may be a broken connection.
            if error.starts_with("net::ERR_CERT_") || tries == CANARY_TRIES {
                return Err(AuthoritiesError::NotTaken(error).into());
            }
        }
    }
}

async fn run(program: &Path, arguments: &[&str]) -> Result<(), AuthoritiesError> {
    let failed = |source| AuthoritiesError::Run { program: program.into(), source };
    let run = Command::new(program).args(arguments).stdin(Stdio::null()).kill_on_drop(true).output();
    let output =
        timeout(TOOL_TIME, run).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())).map_err(failed)?;
    if output.status.success() {
        return Ok(());
    }
    let complaints = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(AuthoritiesError::Tool { program: program.into(), status: output.status, complaints })
}

/// Makes an authority for one name alone, and a server with a certificate of it. The authority's key is discarded at
/// once.
fn canary() -> Result<(CertificateDer<'static>, TlsAcceptor), Box<dyn std::error::Error + Send + Sync>> {
    let mut authority = CertificateParams::new(Vec::new())?;
    authority.distinguished_name.push(rcgen::DnType::CommonName, "a11ycheck, of one process");
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.name_constraints = Some(NameConstraints {
        permitted_subtrees: vec![GeneralSubtree::DnsName(NAME.to_owned())],
        excluded_subtrees: Vec::new(),
    });
    let key = KeyPair::generate()?;
    let certificate = authority.self_signed(&key)?.der().clone();
    let issuer = Issuer::new(authority, key);
    let server_key = KeyPair::generate()?;
    let mut server = CertificateParams::new(vec![NAME.to_owned()])?;
    server.distinguished_name.push(rcgen::DnType::CommonName, NAME);
    let server = server.signed_by(&server_key, &issuer)?.der().clone();
    let server_key = PrivateKeyDer::try_from(server_key.serialize_der())?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![server], server_key)?;
    Ok((certificate, TlsAcceptor::from(Arc::new(config))))
}

/// A server on a port of its own. It stops when it is dropped.
struct Site {
    address: SocketAddr,
    task: AbortHandle,
}

impl Site {
    async fn open(acceptor: TlsAcceptor) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let serve = async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    // A browser that does not trust the certificate closes the connection.
                    if let Ok(stream) = acceptor.accept(stream).await {
                        let _ = answer(stream).await;
                    }
                });
            }
        };
        Ok(Self { address, task: tokio::spawn(serve).abort_handle() })
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Responds to one request with an empty page, and waits until the browser closes the connection: one that is closed
/// with data unread is reset, and the response is lost with it.
async fn answer(mut stream: TlsStream<TcpStream>) -> io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read_buf(&mut head).await? == 0 {
            return Ok(());
        }
    }
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n").await?;
    while stream.read_buf(&mut head).await? > 0 {
        head.clear();
    }
    Ok(())
}

/// A resolver that resolves every name to this machine.
#[derive(Debug)]
struct ThisMachine;

#[async_trait]
impl Resolver for ThisMachine {
    async fn resolve(&self, _: &str) -> Result<Vec<IpAddr>, ResolveError> {
        Ok(vec![Ipv4Addr::LOCALHOST.into()])
    }
}
