//! Signing in and out.

use a11ycheck_core::{catalog::fill, domain::Person, service::Browser, store::Credentials};
use askama::Template;

use super::{
    context::{Context, form_page},
    error::PageError,
    second_step,
};
use crate::{
    cookies,
    form_errors::FormErrors,
    response::Response,
    shell::{Section, Shell},
};

#[derive(Template)]
#[template(path = "sign-in.html")]
struct SignInPage<'a> {
    shell: Shell,
    email: &'a str,
    next: &'a str,
    /// Whether a link for another password can be sent.
    sends_mail: bool,
}

pub(super) async fn show(context: &Context<'_>) -> Result<Response, PageError> {
    if context.signed_in.is_some() {
        return Ok(context.to(""));
    }
    form(context, context.request.query.get("next"), FormErrors::default()).await
}

async fn form(context: &Context<'_>, next: &str, errors: FormErrors) -> Result<Response, PageError> {
    let sends_mail = context.parts.people.sends_mail().await?;
    let shell = context.shell(Section::Outside, &context.words().sign_in.title).with_errors(errors);
    let template = SignInPage { email: context.form().get("email"), next, sends_mail, shell };
    form_page(&template, &template.shell)
}

/// Signs a person in. Whether the address or the password is wrong is not said, and takes the same time to find out.
pub(super) async fn sign_in(context: &Context<'_>) -> Result<Response, PageError> {
    let (parts, words) = (context.parts, &context.words().sign_in);
    let next = context.form().get("next");
    let wrong = async || form(context, next, FormErrors::one("email", &words.wrong)).await;
    let Ok(email) = context.form().get("email").parse() else { return wrong().await };
    let (credentials, now) = (parts.people.credentials(&email).await?, parts.service.now());
    let stored = credentials.as_ref().and_then(|credentials| credentials.password.clone());
    let from = context.origin(credentials.as_ref().map(|known| known.person.id).zip(stored.as_ref()));
    if let Err(until) = parts.failed.attempt(&email, from, now) {
        let seconds = (until - now).num_seconds() + 1;
        let text = fill(&words.wait, &[("seconds", &seconds.to_string())]);
        return form(context, next, FormErrors::one("email", &text)).await;
    }
    let matches = parts.passwords.matches(context.form().raw("password"), stored.clone()).await?;
    match (credentials, stored) {
        (Some(Credentials { person, .. }), Some(password)) if matches => {
            second_step::after_first(context, &person, Some(&password), from, next).await
        }
        _ => wrong().await,
    }
}

/// Begins a session in place of the one that the browser has, and leads to a page below the root.
pub(super) async fn begin_session(context: &Context<'_>, person: &Person, next: &str) -> Result<Response, PageError> {
    let browser = Browser::new(context.request.browser(), context.request.address);
    let browser = context.secret.clone().into_iter().fold(browser, Browser::with_session);
    let (_, secret) = context.parts.people.begin_session(person, browser).await?;
    Ok(cookies::with_session(context.to(next), &secret, &context.parts.places))
}

pub(super) async fn sign_out(context: &Context<'_>) -> Result<Response, PageError> {
    let signed_in = context.signed_in()?;
    context.parts.people.end_session(&signed_in.person, signed_in.session.id, context.request.address).await?;
    Ok(cookies::without_session(context.to("/sign-in?done=signed-out"), &context.parts.places))
}
