//! A team to try the service with: the memory store begins empty, so without one nobody could use the API.

use std::{io::Write as _, net::SocketAddr, path::Path};

use a11ycheck_core::{
    Error, Service,
    domain::{Ability, ApiToken, PlainToken, Team},
    id::TeamId,
    service::{TeamInput, TokenInput},
};
use serde::Serialize;

use crate::welcome::Addresses;

/// A team on the largest plan that includes the API, with a token that may do everything.
pub(crate) struct Demo {
    pub(crate) team: Team,
    pub(crate) token: PlainToken,
}

/// The cause why there is no demo team.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    #[error("no plan includes the API, so no team could use this server: store one with `admin plan put FILE`")]
    NoPlan,
    #[error("the plans can't be read")]
    Plans(#[source] Error),
    #[error("the demo team could not be created")]
    Team(#[source] Error),
    #[error("the demo token could not be created")]
    Token(#[source] Error),
}

impl Demo {
    pub(crate) async fn create(service: &Service) -> Result<Self, DemoError> {
        let plans = service.operator().plans().await.map_err(DemoError::Plans)?;
        let with_api = plans.into_iter().filter(|plan| plan.features.api);
        let plan = with_api.max_by_key(|plan| plan.limits.sites).ok_or(DemoError::NoPlan)?;
        let team = service.operator().create_team(TeamInput::new("Demo team", plan.code)).await;
        let team = team.map_err(DemoError::Team)?;
        let token = TokenInput::new("Demo token", [Ability::Read, Ability::Write]);
        let (_, token) = created(service, team.id, token).await.map_err(DemoError::Token)?;
        Ok(Self { team, token })
    }
}

async fn created(service: &Service, team: TeamId, token: TokenInput) -> Result<(ApiToken, PlainToken), Error> {
    service.team(team).await?.create_token(token).await
}

/// The file's fields, in its order.
#[derive(Debug, Serialize)]
struct Ready<'a> {
    base_url: &'a str,
    listen: SocketAddr,
    metrics_listen: Option<SocketAddr>,
    token: Option<&'a str>,
    team_id: Option<TeamId>,
}

/// Writes a file with everything that a script needs, whole or not at all, readable by the owner only.
pub(crate) fn write_ready_file(path: &Path, addresses: &Addresses, demo: Option<&Demo>) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let ready = Ready {
        base_url: &addresses.base_url,
        listen: addresses.listen,
        metrics_listen: addresses.metrics_listen,
        token: demo.map(|demo| demo.token.reveal()),
        team_id: demo.map(|demo| demo.team.id),
    };
    let ready = serde_json::to_string_pretty(&ready)?;
    // A temporary file is created with mode 0600.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    writeln!(file, "{ready}")?;
    file.persist(path)?;
    Ok(())
}
