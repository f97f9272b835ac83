//! Sites of the public internet, on this machine.

use std::net::SocketAddr;

use a11ycheck_core::net::UpstreamProxy;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::AbortHandle,
};

/// The address of every public site; each has a port of its own.
pub(crate) const PUBLIC: &str = "93.184.216.34";

/// An upstream proxy that connects requests for [`PUBLIC`] to the same port of this machine, and refuses all others.
#[derive(Debug)]
pub(crate) struct Internet {
    address: SocketAddr,
    task: AbortHandle,
}

impl Internet {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serve = async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                // Either side may close the connection.
                tokio::spawn(async move { pass(stream).await.ok() });
            }
        };
        Self { address, task: tokio::spawn(serve).abort_handle() }
    }

    /// Returns it as the settings of a scan name it: addresses of this machine are reached without it.
    pub(crate) fn proxy(&self) -> UpstreamProxy {
        UpstreamProxy::new(&format!("http://{}", self.address)).unwrap().except(["127.0.0.0/8"]).unwrap()
    }
}

impl Drop for Internet {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn pass(mut stream: TcpStream) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read_buf(&mut head).await? == 0 {
            return Ok(());
        }
    }
    let head = String::from_utf8_lossy(&head);
    let target: Option<SocketAddr> = head.split(' ').nth(1).and_then(|target| target.parse().ok());
    let Some(target) = target.filter(|target| target.ip().to_string() == PUBLIC) else {
        return stream.write_all(b"HTTP/1.1 403 Not Here\r\n\r\n").await;
    };
    let mut site = TcpStream::connect(("127.0.0.1", target.port())).await?;
    stream.write_all(b"HTTP/1.1 200 Fine\r\n\r\n").await?;
    tokio::io::copy_bidirectional(&mut stream, &mut site).await.map(drop)
}
