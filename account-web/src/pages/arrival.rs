//! Letting people in who were signed in elsewhere.

use a11ycheck_core::{
    Error,
    domain::{EmailAddress, Person, PersonKind},
    service::{Actor, PersonInput},
    store::Credentials,
};

use super::{context::Context, error::PageError, second_step};
use crate::{arrivals::Arrivals, response::Response};

/// A person who arrives.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) email: EmailAddress,
    /// The name; may be empty.
    pub(super) name: String,
    pub(super) groups: Vec<String>,
}

/// Lets somebody in, whose address was verified elsewhere: who has an account, or is to get one. Who has a second factor is asked for it all
/// the same. Returns `None` for who may not get in.
pub(super) async fn let_in(context: &Context<'_>, arrival: Arrival, next: &str) -> Result<Option<Response>, PageError> {
    let people = &context.parts.people;
    let arrivals = context.parts.arrivals.get();
    let is_taken = arrivals.filter(|arrivals| arrivals.takes(arrival.email.as_str()));
    let known = people.credentials(&arrival.email).await?;
    let Credentials { person, password } = match (known, is_taken) {
        (Some(known), _) => known,
        (None, Some(arrivals)) if arrivals.joins_as(&arrival.groups).is_some() => {
            match created(context, &arrival).await? {
                Some(created) => created,
                None => return Ok(None),
            }
        }
        (None, _) => return Ok(None),
    };
    if let Some(arrivals) = is_taken {
        join(context, arrivals, &person, &arrival.groups).await?;
    }
    let from = context.origin(password.as_ref().map(|password| (person.id, password)));
    second_step::after_first(context, &person, password.as_ref(), from, next).await.map(Some)
}

/// Creates the person; `None` if that one is there by now, and gone again.
async fn created(context: &Context<'_>, arrival: &Arrival) -> Result<Option<Credentials>, PageError> {
    let people = &context.parts.people;
    let input = PersonInput::new(arrival.email.clone()).with_name(arrival.name.clone()).with_locale(context.locale);
    match people.create_person(&actor(), input, PersonKind::User).await {
        // Two windows may arrive at once.
        Ok(_) | Err(Error::AddressTaken) => Ok(people.credentials(&arrival.email).await?),
        Err(error) => Err(error.into()),
    }
}

/// Makes the person a member, or gives the member the role of the groups. Where that is refused the person gets in all the same: into an account
/// that shows the teams it has.
async fn join(context: &Context<'_>, arrivals: &Arrivals, person: &Person, groups: &[String]) -> Result<(), PageError> {
    let parts = context.parts;
    let memberships = parts.people.memberships(person.id).await?;
    let before =
        memberships.iter().find(|(membership, _)| membership.team == arrivals.team).map(|(found, _)| found.role);
    let done = match (before, arrivals.role_of(groups), arrivals.joins_as(groups)) {
        (Some(before), Some(role), _) if before != role => {
            let team = parts.service.operator().team(arrivals.team).await;
            match team {
                Ok(team) => {
                    let of_team = parts.people.of_team(team.handle(), actor());
                    of_team.change_role(person.id, role).await.map(drop)
                }
                Err(error) => Err(error),
            }
        }
        (None, _, Some(role)) => match parts.service.operator().team(arrivals.team).await {
            Ok(team) => parts.people.of_team(team.handle(), actor()).add_member(person, role).await.map(drop),
            Err(error) => Err(error),
        },
        _ => Ok(()),
    };
    match done {
        Ok(()) | Err(Error::AlreadyMember) => Ok(()),
        Err(error @ (Error::NotFound | Error::NoFreeSeat(_) | Error::LastOwner | Error::TeamBlocked)) => {
            let (team, error) = (arrivals.team, &error as &dyn std::error::Error);
            tracing::warn!(%team, person = %person.id, error, "Somebody who was signed in elsewhere did not get the role of the groups");
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

fn actor() -> Actor {
    Actor::program("single sign-on")
}
