//! A person's own password and sessions.

use a11ycheck_core::{
    domain::{Notices, Session},
    id::SessionId,
};
use askama::Template;

use super::{
    context::{Context, form_page},
    error::PageError,
};
use crate::{
    fields,
    form_errors::FormErrors,
    response::Response,
    shell::{Section, Shell},
    time::Instant,
};

/// The problems of the form.
#[derive(Debug, Default)]
pub(super) struct Entered {
    errors: FormErrors,
}

#[derive(Template)]
#[template(path = "profile.html")]
struct ProfilePage {
    shell: Shell,
    sessions: Vec<Session>,
    own: SessionId,
    /// True if notices are sent to whoever wants them.
    sends_mail: bool,
    wants_notices: bool,
    /// True if a second factor is on; `None` where there are none.
    second_factor: Option<bool>,
}

impl ProfilePage {
    fn begun(&self, session: &Session) -> Instant {
        Instant::of(session.created_at)
    }

    fn last_used(&self, session: &Session) -> Instant {
        Instant::of(session.last_used_at)
    }

    fn address(&self, session: &Session) -> String {
        session.address.map(|address| address.to_string()).unwrap_or_default()
    }
}

pub(super) async fn show(context: &Context<'_>, entered: Entered) -> Result<Response, PageError> {
    let signed_in = context.signed_in()?;
    let sessions = context.parts.people.sessions(signed_in.person.id).await?;
    let shell = context.shell(Section::Profile, &context.words().profile.title).with_errors(entered.errors);
    let sends_mail = context.parts.people.sends_mail().await?;
    let wants_notices = signed_in.person.notices.are_on();
    let people = &context.parts.people;
    let second_factor = if people.has_second_factors() {
        Some(people.second_factor(signed_in.person.id).await?.is_some())
    } else {
        None
    };
    let template = ProfilePage { own: signed_in.session.id, shell, sessions, sends_mail, wants_notices, second_factor };
    form_page(&template, &template.shell)
}

/// Sets another password, for which the present one has to be known, and ends all other sessions. Wrong ones count as failed sign-ins: a
/// stolen session is no way to guess.
pub(super) async fn set_password(context: &Context<'_>) -> Result<Response, PageError> {
    let (parts, words, form) = (context.parts, context.words(), context.form());
    let signed_in = context.signed_in()?;
    let (person, address) = (&signed_in.person, context.request.address);
    let mut errors = FormErrors::default();
    let stored = parts.people.credentials(&person.email).await?.and_then(|credentials| credentials.password);
    let from = context.origin(stored.as_ref().map(|password| (person.id, password)));
    let may_try = parts.failed.attempt(&person.email, from, parts.service.now()).is_ok();
    if may_try && parts.passwords.matches(form.raw("current"), stored).await? {
        parts.failed.succeeded(&person.email, from);
    } else {
        errors.add("current", &words.problems.password_wrong);
    }
    let password = fields::new_password(form, Some(&person.email), &mut errors, words);
    let Some(password) = password.filter(|_| errors.is_empty()) else {
        return show(context, Entered { errors }).await;
    };
    let password = parts.passwords.hash(password).await?;
    let kept = Some(signed_in.session.id);
    parts.people.set_password(person, password.clone(), kept, address).await?;
    Ok(context.remembered(context.to("/profile?done=password-changed"), person.id, &password))
}

pub(super) async fn end_session(context: &Context<'_>, id: &str) -> Result<Response, PageError> {
    let person = &context.signed_in()?.person;
    context.parts.people.end_session(person, SessionId::presented(id), context.request.address).await?;
    Ok(context.to("/profile?done=session-ended"))
}

pub(super) async fn end_sessions(context: &Context<'_>) -> Result<Response, PageError> {
    let signed_in = context.signed_in()?;
    let kept = Some(signed_in.session.id);
    context.parts.people.end_sessions(&signed_in.person, kept, context.request.address).await?;
    Ok(context.to("/profile?done=sessions-ended"))
}

/// Sets whether the person gets notices by mail.
pub(super) async fn set_notices(context: &Context<'_>) -> Result<Response, PageError> {
    let notices = Notices::from_flag(context.form().has("notices"));
    context.parts.people.set_notices(context.signed_in()?.person.id, notices).await?;
    Ok(context.to("/profile?done=notices-saved"))
}
