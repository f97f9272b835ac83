//! A network between the store and the database that a test can break.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpListener, TcpStream, UnixStream},
    sync::Notify,
    task::JoinSet,
};
use url::Url;

/// The server behind a proxy.
#[derive(Clone, Copy)]
enum Target {
    /// The database that `DATABASE_URL` names.
    Database,
    Server(SocketAddr),
}

/// Forwards bytes between the store and the database until a test stops that.
pub(crate) struct Proxy {
    address: SocketAddr,
    network: Arc<Network>,
    connections: Arc<Mutex<JoinSet<()>>>,
    accepting: tokio::task::JoinHandle<()>,
}

#[derive(Default)]
struct Network {
    /// New connections are closed at once.
    is_down: AtomicBool,
    /// Bytes vanish, and nothing is closed.
    is_silent: AtomicBool,
    /// Notified when bytes have vanished.
    lost: Notify,
}

impl Proxy {
    pub(crate) async fn start() -> Self {
        Self::before(Target::Database).await
    }

    /// Starts a proxy between a client and a server at this address.
    pub(crate) async fn to(server: SocketAddr) -> Self {
        Self::before(Target::Server(server)).await
    }

    async fn before(target: Target) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (network, connections) = (Arc::<Network>::default(), Arc::<Mutex<JoinSet<()>>>::default());
        let (of_loop, kept) = (Arc::clone(&network), Arc::clone(&connections));
        let accepting = tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                if !of_loop.is_down.load(Ordering::SeqCst) {
                    kept.lock().unwrap().spawn(pass_on(client, target, Arc::clone(&of_loop)));
                }
            }
        });
        Self { address, network, connections, accepting }
    }

    /// Returns the address at which it listens.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the database's address through the proxy.
    pub(crate) fn url(&self) -> String {
        let mut url = Url::parse(&super::url()).unwrap();
        let kept: Vec<(String, String)> =
            url.query_pairs().into_owned().filter(|(key, _)| !matches!(key.as_str(), "host" | "port")).collect();
        url.query_pairs_mut().clear().extend_pairs(kept);
        url.set_host(Some("127.0.0.1")).unwrap();
        url.set_port(Some(self.address.port())).unwrap();
        url.into()
    }

    /// Behaves as when the server stops: all connections break, and new ones are refused.
    pub(crate) fn go_down(&self) {
        self.network.is_down.store(true, Ordering::SeqCst);
        self.connections.lock().unwrap().abort_all();
    }

    /// Behaves as when the server has no place left: existing connections stay, new ones are refused.
    pub(crate) fn admit_nobody(&self) {
        self.network.is_down.store(true, Ordering::SeqCst);
    }

    pub(crate) fn come_up(&self) {
        self.network.is_down.store(false, Ordering::SeqCst);
    }

    /// Behaves as when a cable is cut: what is sent is lost, and neither side is notified.
    pub(crate) fn fall_silent(&self) {
        self.network.is_silent.store(true, Ordering::SeqCst);
    }

    /// Waits until something was lost.
    pub(crate) async fn has_lost_something(&self) {
        self.network.lost.notified().await;
    }

    /// Repairs the network, for connections made from then.
    pub(crate) fn speak(&self) {
        self.network.is_silent.store(false, Ordering::SeqCst);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn pass_on(client: TcpStream, target: Target, network: Arc<Network>) {
    if let Target::Server(server) = target {
        // A server that does not run refuses, as it would without a network between.
        if let Ok(server) = TcpStream::connect(server).await {
            pass_between(client, server, network).await;
        }
        return;
    }
    let url = Url::parse(&super::url()).unwrap();
    let option = |wanted: &str| url.query_pairs().find(|(key, _)| key == wanted).map(|(_, value)| value.into_owned());
    let port = option("port").and_then(|port| port.parse().ok()).or(url.port()).unwrap_or(5432);
    let host = option("host").or_else(|| url.host_str().map(str::to_owned)).unwrap();
    if host.starts_with('/') {
        pass_between(client, UnixStream::connect(format!("{host}/.s.PGSQL.{port}")).await.unwrap(), network).await;
    } else {
        pass_between(client, TcpStream::connect((host, port)).await.unwrap(), network).await;
    }
}

async fn pass_between(client: impl AsyncRead + AsyncWrite, server: impl AsyncRead + AsyncWrite, network: Arc<Network>) {
    let (client, server) = (tokio::io::split(client), tokio::io::split(server));
    tokio::select! {
        () = pass(client.0, server.1, &network) => {}
        () = pass(server.0, client.1, &network) => {}
    }
}

/// Forwards bytes in one direction; ends when either side does.
async fn pass(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, network: &Network) {
    let mut buffer = [0; 8192];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        if network.is_silent.load(Ordering::SeqCst) {
            network.lost.notify_one();
            // The lost bytes leave the connection useless, however long it lives.
            std::future::pending::<()>().await;
        }
        if to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}
