//! A team to try the service with: a store begins empty, so without one nobody could use the API before having read how teams
//! are made. With it comes a history, so that its reports, charts and lists can be looked at before the first check.

mod past;
mod sites;

use std::sync::Arc;

use a11ycheck_core::{
    Error, Service,
    domain::{Ability, ExternalKey, PlainToken, Team},
    paging::PageRequest,
    service::{TeamHandle, TeamInput, TokenInput},
};

pub(crate) use self::past::fill;

/// A team on the largest plan that includes the API, with a token that may do everything, or the team that is there in its
/// place.
pub(crate) enum Demo {
    /// This start has made them. The token is shown, and kept nowhere.
    Made { team: Arc<Team>, token: PlainToken },
    /// There were teams already, of which this is the oldest: that of an earlier start, unless it was deleted.
    Kept { team: Arc<Team> },
}

/// The cause why there is no demo team.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    #[error("no plan includes the API, so no team could use this server: store one with `admin plan put FILE`")]
    NoPlan,
    #[error("the plans can't be read")]
    Plans(#[source] Error),
    #[error("the teams can't be read")]
    Teams(#[source] Error),
    #[error("the demo team could not be created")]
    Team(#[source] Error),
    #[error("the demo token could not be created")]
    Token(#[source] Error),
}

impl Demo {
    /// Returns the demo team that [`fill`] has made with a new token, or makes both if there is no team at all. Of servers that start
    /// together on an empty database, all get a token, for one team.
    pub(crate) async fn once(service: &Service, is_filled: bool) -> Result<Self, DemoError> {
        let teams = service.operator().teams(PageRequest::new(1, 1)).await.map_err(DemoError::Teams)?;
        if !is_filled && let Some(team) = teams.items.into_iter().next() {
            return Ok(Self::Kept { team: Arc::new(team) });
        }
        let input = Self::input(service).await?;
        // A key is any text in one line of up to 200 characters.
        let key = ExternalKey::new(Self::KEY).expect("the key of the demo team is a key");
        Self::with_token(service.operator().team_for(key, input).await.map_err(DemoError::Team)?).await
    }

    /// The key of the team, so that it is made once.
    const KEY: &'static str = "a11ycheck-demo";

    async fn input(service: &Service) -> Result<TeamInput, DemoError> {
        let plans = service.operator().plans().await.map_err(DemoError::Plans)?;
        let with_api = plans.into_iter().filter(|plan| plan.features.api);
        let plan = with_api.max_by_key(|plan| plan.limits.sites).ok_or(DemoError::NoPlan)?;
        Ok(TeamInput::new("Demo team", plan.code))
    }

    async fn with_token(handle: TeamHandle) -> Result<Self, DemoError> {
        let team = handle.team().await.map_err(DemoError::Team)?;
        let token = TokenInput::new("Demo token", [Ability::Read, Ability::Write]);
        let (_, token) = handle.create_token(token).await.map_err(DemoError::Token)?;
        Ok(Self::Made { team, token })
    }

    pub(crate) fn team(&self) -> &Team {
        match self {
            Self::Made { team, .. } | Self::Kept { team } => team,
        }
    }

    /// Returns the token, if this start has made it.
    pub(crate) const fn token(&self) -> Option<&PlainToken> {
        match self {
            Self::Made { token, .. } => Some(token),
            Self::Kept { .. } => None,
        }
    }
}
