//! The members of a team, and invitations.

use a11ycheck_core::{
    Error,
    domain::{Invitation, Member, Role, TwoSteps},
    id::{InvitationId, PersonId},
    service::InviteInput,
};
use askama::Template;

use super::{
    context::{InTeam, form_page},
    error::PageError,
};
use crate::{
    fields,
    form_errors::FormErrors,
    response::Response,
    shell::{Section, Shell},
    time::Instant,
};

/// The entries of the form, with what was wrong with it.
#[derive(Debug, Default)]
pub(super) struct Entered {
    email: String,
    errors: FormErrors,
}

/// An invitation that was just made.
pub(super) struct Made {
    email: String,
    link: String,
    /// True if it is sent by mail as well.
    is_mailed: bool,
}

#[derive(Template)]
#[template(path = "members.html")]
struct MembersPage {
    shell: Shell,
    members: Vec<Member>,
    invitations: Vec<Invitation>,
    seats: u32,
    email: String,
    /// The link of an invitation that was just made, which is shown this once.
    link: Option<Made>,
    own: PersonId,
    two_steps: TwoSteps,
    /// True if the person has a second factor, without which nobody may demand one of others.
    may_demand: bool,
}

impl MembersPage {
    fn since(&self, member: &Member) -> Instant {
        Instant::of(member.since)
    }

    fn until(&self, invitation: &Invitation) -> Instant {
        Instant::of(invitation.ends_at())
    }

    fn roles(&self, chosen: &Role) -> Vec<(&'static str, &'static str, bool)> {
        let roles = [Role::Viewer, Role::Member, Role::Owner];
        let code = |role: Role| match role {
            Role::Owner => "owner",
            Role::Member => "member",
            _ => "viewer",
        };
        roles.into_iter().map(|role| (code(role), self.shell.role(&role), role == *chosen)).collect()
    }
}

pub(super) async fn show(team: &InTeam<'_, '_>, entered: Entered, link: Option<Made>) -> Result<Response, PageError> {
    let people = team.people()?;
    let members = people.members().await?;
    let invitations = if team.visit.role.manages() { people.invitations().await? } else { Vec::new() };
    let Entered { email, errors } = entered;
    let shell = team.shell(Section::Members, &team.words().members.title).with_errors(errors);
    let own = team.context.signed_in()?.person.id;
    let seats = team.visit.team.plan.limits.seats;
    let two_steps = people.two_steps().await?;
    let may_demand = members.iter().any(|member| member.person.id == own && member.has_second_factor);
    let template = MembersPage { shell, members, invitations, seats, email, link, own, two_steps, may_demand };
    form_page(&template, &template.shell)
}

/// Invites somebody, and shows the link that is to be handed over.
pub(super) async fn invite(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let (form, words) = (team.form(), team.words());
    let mut errors = FormErrors::default();
    let email = fields::email(form, &mut errors, words);
    let role = fields::role(form, &mut errors, words);
    let entered = |errors| Entered { email: form.get("email").to_owned(), errors };
    let (Some(email), Some(role)) = (email, role) else { return show(team, entered(errors), None).await };
    match team.people()?.invite(InviteInput::new(email.clone(), role).with_locale(team.context.locale)).await {
        Ok(invited) => {
            let link = team.context.parts.places.absolute(&format!("/join?key={}", invited.secret.reveal()));
            show(team, Entered::default(), Some(Made { email: email.to_string(), link, is_mailed: invited.is_mailed }))
                .await
        }
        Err(error) => show(team, entered(FormErrors::of_refusal(error, "email", words)?), None).await,
    }
}

/// Sets whether members have to sign in in two steps.
pub(super) async fn set_two_steps(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    match team.people()?.set_two_steps(TwoSteps::from_flag(team.form().has("on"))).await {
        Ok(()) => Ok(team.done("/members", "two-steps-saved")),
        Err(Error::NoSecondFactor) => {
            refused(team, FormErrors::one("two-steps", &team.words().members.two_steps_own_first)).await
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn change_role(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let mut errors = FormErrors::default();
    let Some(role) = fields::role(team.form(), &mut errors, team.words()) else { return refused(team, errors).await };
    match team.people()?.change_role(PersonId::presented(id), role).await {
        Ok(_) => Ok(team.done("/members", "role-changed")),
        Err(error) => refused(team, FormErrors::of_refusal(error, "members", team.words())?).await,
    }
}

/// Takes a member out of the team; members may leave by themselves.
pub(super) async fn remove(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let id = PersonId::presented(id);
    let is_own = team.context.signed_in()?.person.id == id;
    match team.people()?.remove_member(id).await {
        Ok(()) if is_own => Ok(team.context.to("/teams?done=left")),
        Ok(()) => Ok(team.done("/members", "member-removed")),
        Err(error) => refused(team, FormErrors::of_refusal(error, "members", team.words())?).await,
    }
}

async fn refused(team: &InTeam<'_, '_>, errors: FormErrors) -> Result<Response, PageError> {
    show(team, Entered { email: String::new(), errors }, None).await
}

pub(super) async fn withdraw(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    team.people()?.withdraw_invitation(InvitationId::presented(id)).await?;
    Ok(team.done("/members", "invitation-withdrawn"))
}
