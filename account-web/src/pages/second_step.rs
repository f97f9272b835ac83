//! The second step of a sign-in, for people who have a second factor.

use a11ycheck_core::{
    catalog::fill,
    domain::{EmailAddress, PasswordHash, Person},
    service::BetweenKey,
    store::Credentials,
};
use askama::Template;

use super::{
    context::{Context, form_page},
    error::PageError,
    home::own_path,
    sign_in::begin_session,
};
use crate::{
    failed_sign_ins::Origin,
    form_errors::FormErrors,
    pending_sign_in,
    response::Response,
    shell::{Section, Shell},
};

#[derive(Template)]
#[template(path = "second-step.html")]
struct SecondStepPage<'a> {
    shell: Shell,
    email: &'a str,
    ticket: String,
    next: &'a str,
}

/// Lets a person in who has shown the first factor: at once, or after the second step if the person has a second factor. Until that has
/// succeeded the first one counts as a failed attempt: who knows a password does not get new guesses of codes by it.
pub(super) async fn after_first(
    context: &Context<'_>,
    person: &Person,
    password: Option<&PasswordHash>,
    from: Origin,
    next: &str,
) -> Result<Response, PageError> {
    match context.parts.people.between_key(person.id).await? {
        Some(key) => form(context, person, password, &key, next, FormErrors::default()),
        None => let_in(context, person, password, from, next).await,
    }
}

/// Leads to the beginning of the sign-in, where the page of the second step was asked for by itself.
pub(super) fn show(context: &Context<'_>) -> Response {
    context.to("/sign-in")
}

/// Judges a code, and lets its person in.
pub(super) async fn prove(context: &Context<'_>) -> Result<Response, PageError> {
    let (parts, words, sent) = (context.parts, context.words(), context.form());
    let (next, now) = (sent.get("next"), parts.service.now());
    let over = || Ok(context.to("/sign-in?done=sign-in-over"));
    let Ok(email) = sent.get("email").parse::<EmailAddress>() else { return over() };
    let Some(Credentials { person, password }) = parts.people.credentials(&email).await? else { return over() };
    let Some(key) = parts.people.between_key(person.id).await? else { return over() };
    if !pending_sign_in::is_valid(sent.get("ticket"), &key, person.id, password.as_ref(), now) {
        return over();
    }
    let from = context.origin(password.as_ref().map(|password| (person.id, password)));
    if let Err(until) = parts.failed.attempt(&email, from, now) {
        let seconds = (until - now).num_seconds() + 1;
        let text = fill(&words.sign_in.wait, &[("seconds", &seconds.to_string())]);
        return form(context, &person, password.as_ref(), &key, next, FormErrors::one("code", &text));
    }
    if parts.people.prove_second_factor(&person, sent.get("code"), context.request.address).await?.is_none() {
        let errors = FormErrors::one("code", &words.second_step.wrong);
        return form(context, &person, password.as_ref(), &key, next, errors);
    }
    let_in(context, &person, password.as_ref(), from, next).await
}

async fn let_in(
    context: &Context<'_>,
    person: &Person,
    password: Option<&PasswordHash>,
    from: Origin,
    next: &str,
) -> Result<Response, PageError> {
    context.parts.failed.succeeded(&person.email, from);
    let begun = begin_session(context, person, &own_path(next)).await?;
    Ok(match password {
        Some(password) => context.remembered(begun, person.id, password),
        None => begun,
    })
}

fn form(
    context: &Context<'_>,
    person: &Person,
    password: Option<&PasswordHash>,
    key: &BetweenKey,
    next: &str,
    errors: FormErrors,
) -> Result<Response, PageError> {
    let shell = context.shell(Section::Outside, &context.words().second_step.title).with_errors(errors);
    // A new one each time, so that it does not end between two attempts.
    let ticket = pending_sign_in::ticket(key, person.id, password, context.parts.service.now());
    let template = SecondStepPage { email: person.email.as_str(), ticket, next, shell };
    form_page(&template, &template.shell)
}
