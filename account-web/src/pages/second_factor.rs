//! A person's own second factor: switched on, off, and its recovery codes.

use a11ycheck_core::{
    Error,
    domain::{RecoveryCode, TotpSecret},
    id::TeamId,
    service::{Actor, SecondFactorState},
};
use askama::Template;

use super::{
    context::{Context, form_page, page},
    error::PageError,
};
use crate::{
    form_errors::FormErrors,
    qr_code::{self, Drawing},
    response::Response,
    shell::{Section, Shell},
    time::Instant,
};

/// The page about the second factor: its state, and the forms that change it.
enum State {
    /// It is off. The app is shown a secret, which comes back with the form: it counts once the app has shown a code of it.
    Off {
        drawing: Option<Drawing>,
        secret: String,
    },
    On(SecondFactorState),
}

#[derive(Template)]
#[template(path = "second-factor.html")]
struct SecondFactorPage {
    shell: Shell,
    state: State,
    /// A person who signs in by other means has no password to be asked for.
    has_password: bool,
    /// The name of the team that demands it, and that led here.
    demanded_by: Option<String>,
}

impl SecondFactorPage {
    fn since(&self, state: &SecondFactorState) -> Instant {
        Instant::of(state.since)
    }
}

/// Recovery codes, which are shown once.
#[derive(Template)]
#[template(path = "recovery-codes.html")]
struct CodesPage {
    shell: Shell,
    codes: String,
}

/// Leads who has none to the page that switches it on, from a team that demands it.
pub(super) fn demanded(context: &Context<'_>, team: &str) -> Response {
    let team = TeamId::presented(team);
    context.to(&format!("/profile/second-factor?team={team}"))
}

/// Returns the name of the team that led here, if the person is a member.
async fn demanding(context: &Context<'_>) -> Result<Option<String>, PageError> {
    let team = context.request.query.get("team");
    if team.is_empty() {
        return Ok(None);
    }
    let (team, person) = (TeamId::presented(team), context.signed_in()?.person.id);
    let memberships = context.parts.people.memberships(person).await?;
    Ok(memberships.into_iter().find(|(membership, _)| membership.team == team).map(|(_, team)| team.name))
}

pub(super) async fn show(context: &Context<'_>) -> Result<Response, PageError> {
    form(context, None, FormErrors::default()).await
}

async fn form(context: &Context<'_>, secret: Option<TotpSecret>, errors: FormErrors) -> Result<Response, PageError> {
    let people = &context.parts.people;
    let person = &context.signed_in()?.person;
    if !people.has_second_factors() {
        return Err(PageError::NotFound);
    }
    let state = match people.second_factor(person.id).await? {
        Some(state) => State::On(state),
        None => {
            let secret = secret.unwrap_or_else(TotpSecret::generate);
            let drawing = qr_code::drawing(&secret.address(&person.email));
            State::Off { drawing, secret: secret.to_base32().to_string() }
        }
    };
    let credentials = people.credentials(&person.email).await?;
    let has_password = credentials.is_some_and(|credentials| credentials.password.is_some());
    let shell = context.shell(Section::Profile, &context.words().second_factor.title).with_errors(errors);
    let demanded_by = demanding(context).await?.filter(|_| matches!(state, State::Off { .. }));
    let template = SecondFactorPage { state, has_password, demanded_by, shell };
    form_page(&template, &template.shell)
}

/// Switches it on, for who knows the password and has an app that shows a code of the secret. All other sessions end.
pub(super) async fn enable(context: &Context<'_>) -> Result<Response, PageError> {
    let (people, words, sent) = (&context.parts.people, context.words(), context.form());
    let signed_in = context.signed_in()?;
    let Some(secret) = TotpSecret::from_base32(sent.get("secret")).filter(|_| people.has_second_factors()) else {
        return show(context).await;
    };
    let mut errors = FormErrors::default();
    if !knows_password(context).await? {
        errors.add("current", &words.problems.password_wrong);
        return form(context, Some(secret), errors).await;
    }
    let (person, kept) = (&signed_in.person, Some(signed_in.session.id));
    match people.enable_second_factor(person, &secret, sent.get("code"), kept, context.request.address).await {
        Ok(Some(codes)) => shown(context, &codes),
        Ok(None) => {
            errors.add("code", &words.second_step.wrong);
            form(context, Some(secret), errors).await
        }
        // It was switched on in another window.
        Err(Error::NotFound) => show(context).await,
        Err(error) => Err(error.into()),
    }
}

/// Makes new recovery codes, for who proves both factors.
pub(super) async fn replace_codes(context: &Context<'_>) -> Result<Response, PageError> {
    match refused(context).await? {
        Some(errors) => form(context, None, errors).await,
        None => {
            let person = &context.signed_in()?.person;
            shown(context, &context.parts.people.replace_recovery_codes(person, context.request.address).await?)
        }
    }
}

/// Switches it off, for who proves both factors.
pub(super) async fn disable(context: &Context<'_>) -> Result<Response, PageError> {
    match refused(context).await? {
        Some(errors) => form(context, None, errors).await,
        None => {
            let person = &context.signed_in()?.person;
            let actor = Actor::person(person, context.request.address);
            context.parts.people.disable_second_factor(&actor, person).await?;
            Ok(context.to("/profile?done=second-factor-off"))
        }
    }
}

fn shown(context: &Context<'_>, codes: &[RecoveryCode]) -> Result<Response, PageError> {
    let codes = codes.iter().map(RecoveryCode::reveal).collect::<Vec<_>>().join("\n");
    let shell = context.shell(Section::Profile, &context.words().second_factor.codes_shown_title);
    page(&CodesPage { shell, codes })
}

/// Returns whether the form has the person's password, if there is one. Wrong ones count as failed sign-ins.
async fn knows_password(context: &Context<'_>) -> Result<bool, PageError> {
    let parts = context.parts;
    let person = &context.signed_in()?.person;
    let stored = parts.people.credentials(&person.email).await?.and_then(|credentials| credentials.password);
    let Some(stored) = stored else { return Ok(true) };
    let from = context.origin(Some((person.id, &stored)));
    let may_try = parts.failed.attempt(&person.email, from, parts.service.now()).is_ok();
    let knows = may_try && parts.passwords.matches(context.form().raw("current"), Some(stored)).await?;
    if knows {
        parts.failed.succeeded(&person.email, from);
    }
    Ok(knows)
}

/// Returns what is wrong with the form of who should prove both factors; `None` if nothing is. Attempts count as failed sign-ins until both are
/// right: a stolen session is no way to guess.
async fn refused(context: &Context<'_>) -> Result<Option<FormErrors>, PageError> {
    let (parts, words, sent) = (context.parts, context.words(), context.form());
    let person = &context.signed_in()?.person;
    let stored = parts.people.credentials(&person.email).await?.and_then(|credentials| credentials.password);
    let from = context.origin(stored.as_ref().map(|password| (person.id, password)));
    let may_try = parts.failed.attempt(&person.email, from, parts.service.now()).is_ok();
    let field = if stored.is_some() { "current" } else { "code" };
    if !may_try {
        return Ok(Some(FormErrors::one(field, &words.problems.password_wrong)));
    }
    if stored.is_some() && !parts.passwords.matches(sent.raw("current"), stored).await? {
        return Ok(Some(FormErrors::one("current", &words.problems.password_wrong)));
    }
    let address = context.request.address;
    match parts.people.prove_second_factor(person, sent.get("code"), address).await {
        Ok(Some(_)) => {
            parts.failed.succeeded(&person.email, from);
            Ok(None)
        }
        Ok(None) => Ok(Some(FormErrors::one("code", &words.second_step.wrong))),
        // It is off, which the page shows.
        Err(Error::NotFound) => Ok(Some(FormErrors::default())),
        Err(error) => Err(error.into()),
    }
}
