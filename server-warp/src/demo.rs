//! A team to try the service with: the memory store begins empty, so without one nobody could come in.

use std::{io::Write as _, path::Path};

use a11ycheck_core::{
    Error, Service,
    domain::{Ability, PlainToken, Team},
    service::{CreateTeamError, TeamInput, TokenInput},
};

use crate::welcome::Addresses;

/// A team on the largest plan with a token that may do everything.
pub(crate) struct Demo {
    pub(crate) team: Team,
    pub(crate) token: PlainToken,
}

/// Why there is no demo team.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    #[error("no plan includes the API, so no team could use this server: store one with `admin plan put FILE`")]
    NoPlan,
    #[error("the plans can't be read")]
    Plans(#[source] Error),
    #[error("the demo team could not be created")]
    Team(#[from] CreateTeamError),
    #[error("the demo token could not be created")]
    Token(#[from] Error),
}

impl Demo {
    pub(crate) async fn create(service: &Service) -> Result<Self, DemoError> {
        let plans = service.plans().await.map_err(DemoError::Plans)?;
        let with_api = plans.into_iter().filter(|plan| plan.features.api);
        let plan = with_api.max_by_key(|plan| plan.limits.sites).ok_or(DemoError::NoPlan)?;
        let team = service.create_team(TeamInput::new("Demo team", plan.code)).await?;
        let abilities = [Ability::Read, Ability::Write].into();
        let (_, token) = service.create_token(team.id, TokenInput { name: "Demo token".to_owned(), abilities }).await?;
        Ok(Self { team, token })
    }
}

/// Writes what a script needs, whole or not at all, readable by the owner only.
pub(crate) fn write_ready_file(path: &Path, addresses: &Addresses, demo: Option<&Demo>) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let ready = serde_json::json!({
        "base_url": addresses.base_url,
        "listen": addresses.listen,
        "metrics_listen": addresses.metrics_listen,
        "token": demo.map(|demo| demo.token.reveal()),
        "team_id": demo.map(|demo| demo.team.id),
    });
    // A temporary file is created with mode 0600.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    writeln!(file, "{ready:#}")?;
    file.persist(path)?;
    Ok(())
}
