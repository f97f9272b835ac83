//! What a team may do, as a value.

use std::{collections::BTreeSet, fmt, sync::Arc};

use chrono::{DateTime, Utc};

use super::Service;
use crate::{
    domain::{Ability, PlainToken, RequestClass, Role, Team},
    error::Error,
    id::TeamId,
};

/// A team and the rights with which something is done in its name. It gives what a team may do: sites, checks, reports and files,
/// and, to a host, tokens, endpoints, deliveries and the brand.
///
/// A handle is cheap to clone. These are the ways to one:
///
/// | from | rights | whether the team is blocked |
/// |---|---|---|
/// | [`Service::team`], [`Operator::team_for`](super::Operator::team_for) | all | is judged by each call |
/// | [`Service::admit`], [`Service::team_with_token`] | those of the token, which never manages the team | was judged when the token was admitted: the handle serves that one request |
/// | [`People::team_of`](super::People::team_of) | those of the person's role | was judged when the person came in: the handle serves that one request |
/// | [`Operator::team`](super::Operator::team) | all | does not matter |
///
/// # Errors
/// Besides what each method lists, every call can return [`Error::TeamBlocked`] and, where the team was deleted,
/// [`Error::NotFound`]; [`Error::MissingAbility`] or, for what manages the team, [`Error::MayNotManage`], where the handle lacks the
/// right; [`Error::Unavailable`] and [`Error::Corrupt`] where the store fails. Rights are judged first.
#[derive(Clone)]
pub struct TeamHandle {
    service: Service,
    id: TeamId,
    rights: Rights,
    judged: Judged,
}

/// The rights of a handle.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rights {
    abilities: BTreeSet<Ability>,
    /// True if sites may be deleted.
    deletes: bool,
    /// True if findings may be judged.
    judges: bool,
    /// Tokens, endpoints, deliveries, the brand and members.
    manages: bool,
}

/// The moment at which it is judged whether the team may do anything at all.
#[derive(Debug, Clone)]
enum Judged {
    ByEachCall,
    /// Of the team as it was at this instant of the store's clock. No further statement is needed for it.
    AtTheDoor(Arc<Team>, DateTime<Utc>),
    /// The operator reaches blocked teams, too.
    Never,
}

impl TeamHandle {
    /// With all rights, to a team that is judged by each call.
    pub(super) fn of_host(service: Service, id: TeamId) -> Self {
        Self { service, id, rights: Rights::all(), judged: Judged::ByEachCall }
    }

    /// With all rights, to a team that may be blocked.
    pub(super) fn of_operator(service: Service, id: TeamId) -> Self {
        Self { service, id, rights: Rights::all(), judged: Judged::Never }
    }

    /// With a token's rights, for the one request that it was admitted for.
    pub(super) fn admitted(service: Service, team: Team, abilities: BTreeSet<Ability>, at: DateTime<Utc>) -> Self {
        let deletes = abilities.contains(&Ability::Write);
        // Who judges is a person, with a name.
        let rights = Rights { abilities, deletes, judges: false, manages: false };
        Self { service, id: team.id, rights, judged: Judged::AtTheDoor(Arc::new(team), at) }
    }

    /// With the rights of a member's role, for the one request that the member was let in for.
    pub(super) fn of_member(service: Service, team: Team, role: Role, at: DateTime<Utc>) -> Self {
        let abilities = if role.writes() { [Ability::Read, Ability::Write].into() } else { [Ability::Read].into() };
        let rights = Rights { abilities, deletes: role.manages(), judges: role.writes(), manages: role.manages() };
        Self { service, id: team.id, rights, judged: Judged::AtTheDoor(Arc::new(team), at) }
    }

    /// Returns the team's id.
    pub const fn id(&self) -> TeamId {
        self.id
    }

    /// Returns the team with its plan: as it was when its token was admitted, or, in a host's and an operator's handle, as it is now.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] where the team was deleted, [`Error::TeamBlocked`] where it is blocked and the handle is not the
    /// operator's, and [`Error::Unavailable`].
    pub async fn team(&self) -> Result<Arc<Team>, Error> {
        match &self.judged {
            Judged::AtTheDoor(team, _) => Ok(Arc::clone(team)),
            Judged::ByEachCall | Judged::Never => {
                let team = self.service.store().team(self.id).await?.ok_or(Error::NotFound)?;
                let is_shut_out = team.standing.is_blocked() && matches!(self.judged, Judged::ByEachCall);
                if is_shut_out { Err(Error::TeamBlocked) } else { Ok(Arc::new(team)) }
            }
        }
    }

    /// Lets pass who has this ability. Every use-case asks by itself; a frontend asks when it has work to do before the use-case
    /// can be called.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`].
    pub fn require(&self, ability: Ability) -> Result<(), Error> {
        if self.rights.abilities.contains(&ability) { Ok(()) } else { Err(Error::MissingAbility(ability)) }
    }

    /// Lets a use-case pass that has no use for the team itself.
    pub(super) async fn may(&self, ability: Ability) -> Result<(), Error> {
        self.require(ability)?;
        self.judge().await
    }

    /// Lets a use-case pass that deletes a site with all its checks: what a token may do that writes, and an owner, but no member.
    pub(super) async fn may_delete(&self) -> Result<(), Error> {
        self.require(Ability::Write)?;
        if !self.rights.deletes {
            return Err(Error::MayNotManage);
        }
        self.judge().await
    }

    /// Lets a use-case pass that judges findings: what owners and members may do, and no token.
    pub(super) async fn may_judge(&self) -> Result<(), Error> {
        self.require(Ability::Write)?;
        if !self.rights.judges {
            return Err(Error::MayNotJudge);
        }
        self.judge().await
    }

    /// Returns whether the handle has the right to judge findings.
    pub(super) const fn has_right_to_judge(&self) -> bool {
        self.rights.judges
    }

    /// Lets a use-case pass that manages the team.
    pub(super) async fn may_manage(&self) -> Result<(), Error> {
        if !self.rights.manages {
            return Err(Error::MayNotManage);
        }
        self.judge().await
    }

    /// Lets a use-case pass, and gives it the team.
    pub(super) async fn team_that_may(&self, ability: Ability) -> Result<Arc<Team>, Error> {
        self.require(ability)?;
        self.team().await
    }

    async fn judge(&self) -> Result<(), Error> {
        match self.judged {
            Judged::ByEachCall => self.team().await.map(drop),
            Judged::AtTheDoor(..) | Judged::Never => Ok(()),
        }
    }

    /// The store's time: that at which the request was admitted, or now.
    pub(super) async fn at(&self) -> Result<DateTime<Utc>, Error> {
        match &self.judged {
            Judged::AtTheDoor(_, at) => Ok(*at),
            Judged::ByEachCall | Judged::Never => Ok(self.service.store().now().await?),
        }
    }

    pub(super) const fn service(&self) -> &Service {
        &self.service
    }
}

impl Rights {
    fn all() -> Self {
        Self { abilities: [Ability::Read, Ability::Write].into(), deletes: true, judges: true, manages: true }
    }
}

impl Service {
    /// Acts for a team with all rights: for hosts, who answer for their own callers. Every call of the handle judges again whether
    /// the team is there and not blocked.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] where there is no such team, [`Error::TeamBlocked`] and [`Error::Unavailable`].
    pub async fn team(&self, id: TeamId) -> Result<TeamHandle, Error> {
        let handle = TeamHandle::of_host(self.clone(), id);
        handle.judge().await?;
        Ok(handle)
    }

    /// Acts for the team of a token, with the token's rights: for hosts that serve requests by other means than HTTP. It counts as
    /// one request of the token. An unknown token counts against nobody, since there is no address: who lets strangers guess tokens
    /// calls [`admit`](Self::admit), as does a frontend that shows the counters.
    ///
    /// # Errors
    /// Returns [`Error::Unauthenticated`], [`Error::TooManyRequests`], [`Error::TeamBlocked`], [`Error::ApiNotIncluded`],
    /// [`Error::Unavailable`] and [`Error::Corrupt`].
    pub async fn team_with_token(&self, token: &PlainToken) -> Result<TeamHandle, Error> {
        let known = self.known(&token.hash(), RequestClass::General).await?.ok_or(Error::Unauthenticated)?;
        self.judged(known)
    }
}

impl fmt::Debug for TeamHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TeamHandle").field("id", &self.id).field("rights", &self.rights).finish_non_exhaustive()
    }
}
