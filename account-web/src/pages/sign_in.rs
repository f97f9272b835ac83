//! Signing in and out.

use a11ycheck_core::{catalog::fill, domain::Person, service::Browser, store::Credentials};
use askama::Template;

use super::{
    arrival::{self, Arrival},
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
    /// True if a link for another password can be sent.
    sends_mail: bool,
    /// The name of the provider at which people sign in, too.
    provider: Option<&'a str>,
}

/// Shows the form, or lets in who was signed in by a proxy: unless the person has just signed out here.
pub(super) async fn show(context: &Context<'_>) -> Result<Response, PageError> {
    if context.signed_in.is_some() {
        return Ok(context.to(""));
    }
    let next = context.request.query.get("next");
    match &context.request.proven {
        Some(email) if !context.request.query.has("done") => {
            let arrival = Arrival { email: email.clone(), name: String::new(), groups: Vec::new() };
            match arrival::let_in(context, arrival, next).await? {
                Some(response) => Ok(response),
                None => refused(context, &context.words().provider.no_account).await,
            }
        }
        _ => form(context, next, FormErrors::default()).await,
    }
}

/// Shows the form, with the reason why somebody who was signed in elsewhere does not get in.
pub(super) async fn refused(context: &Context<'_>, text: &str) -> Result<Response, PageError> {
    form(context, "", FormErrors::one("email", text)).await
}

#[cfg(feature = "oidc")]
fn provider<'a>(context: &Context<'a>) -> Option<&'a str> {
    context.parts.provider.get().map(crate::oidc::Oidc::name)
}

#[cfg(not(feature = "oidc"))]
const fn provider<'a>(_: &Context<'a>) -> Option<&'a str> {
    None
}

async fn form(context: &Context<'_>, next: &str, errors: FormErrors) -> Result<Response, PageError> {
    let sends_mail = context.parts.people.sends_mail().await?;
    let shell = context.shell(Section::Outside, &context.words().sign_in.title).with_errors(errors);
    let (email, provider) = (context.form().get("email"), provider(context));
    let template = SignInPage { email, next, sends_mail, provider, shell };
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
