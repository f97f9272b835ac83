//! The file that tells scripts how a server is reached.

use std::{io::Write as _, net::SocketAddr, path::Path};

use a11ycheck_core::{domain::PlainToken, id::TeamId};
use serde::Serialize;

use crate::{demo::Demo, welcome::Addresses};

/// The file's fields, in its order.
#[derive(Debug, Serialize)]
struct Ready<'a> {
    base_url: &'a str,
    listen: SocketAddr,
    metrics_listen: Option<SocketAddr>,
    token: Option<&'a str>,
    team_id: Option<TeamId>,
    /// The link with which the first account is made.
    first_link: Option<&'a str>,
}

/// Writes a file with everything that a script needs, whole or not at all, readable by the owner only.
pub(crate) fn write(path: &Path, addresses: &Addresses, demo: Option<&Demo>) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let ready = Ready {
        base_url: &addresses.base_url,
        listen: addresses.listen,
        metrics_listen: addresses.metrics_listen,
        token: demo.and_then(Demo::token).map(PlainToken::reveal),
        team_id: demo.map(|demo| demo.team().id),
        first_link: addresses.account.as_ref().and_then(|account| account.first_link.as_deref()),
    };
    let ready = serde_json::to_string_pretty(&ready)?;
    // A temporary file is created with mode 0600.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    writeln!(file, "{ready}")?;
    file.persist(path)?;
    Ok(())
}
