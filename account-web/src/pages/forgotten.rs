//! Another password for who has forgotten it: a link by mail, and the page behind it.

use a11ycheck_core::{Error, catalog::fill};
use askama::Template;

use super::{
    context::{Context, form_page, page},
    error::PageError,
};
use crate::{
    failed_sign_ins::Origin,
    fields,
    form_errors::FormErrors,
    response::Response,
    shell::{Section, Shell},
};

#[derive(Template)]
#[template(path = "forgotten.html")]
struct ForgottenPage<'a> {
    shell: Shell,
    email: &'a str,
}

#[derive(Template)]
#[template(path = "new-password.html")]
struct NewPasswordPage {
    shell: Shell,
    key: String,
    email: String,
}

#[derive(Template)]
#[template(path = "message.html")]
struct Message<'a> {
    shell: Shell,
    text: &'a str,
}

/// Asks for the address. Where no mail is sent, there is no such page.
pub(super) async fn show(context: &Context<'_>) -> Result<Response, PageError> {
    if !context.parts.people.sends_mail().await? {
        return Err(PageError::NotFound);
    }
    form(context, FormErrors::default())
}

fn form(context: &Context<'_>, errors: FormErrors) -> Result<Response, PageError> {
    let shell = context.shell(Section::Outside, &context.words().forgotten.title).with_errors(errors);
    let template = ForgottenPage { email: context.form().get("email"), shell };
    form_page(&template, &template.shell)
}

/// Sends a link, and says so, whether anybody has the address or not: what is written is the same for both, and who reads it finds out
/// later. Requests are bounded by address and by network, as failed sign-ins are.
pub(super) async fn request(context: &Context<'_>) -> Result<Response, PageError> {
    let (parts, words) = (context.parts, context.words());
    if !parts.people.sends_mail().await? {
        return Err(PageError::NotFound);
    }
    let mut errors = FormErrors::default();
    let Some(email) = fields::email(context.form(), &mut errors, words) else { return form(context, errors) };
    let now = parts.service.now();
    if let Err(until) = parts.forgotten.attempt(&email, Origin::Unknown(context.request.address), now) {
        let seconds = (until - now).num_seconds() + 1;
        let text = fill(&words.sign_in.wait, &[("seconds", &seconds.to_string())]);
        return form(context, FormErrors::one("email", &text));
    }
    parts.people.request_reset(&email, context.locale).await?;
    let words = &words.forgotten;
    page(&Message { shell: context.shell(Section::Outside, &words.sent_title), text: &words.sent_text })
}

fn gone(context: &Context<'_>) -> Result<Response, PageError> {
    let words = &context.words().forgotten;
    page(&Message { shell: context.shell(Section::Outside, &words.gone_title), text: &words.gone_text })
}

/// Shows the form behind the link.
pub(super) async fn new_password(context: &Context<'_>) -> Result<Response, PageError> {
    match context.parts.people.reset_link(&context.request.key()).await {
        Ok(person) => new_form(context, person.email.as_str(), FormErrors::default()),
        Err(Error::NotFound) => gone(context),
        Err(error) => Err(error.into()),
    }
}

fn new_form(context: &Context<'_>, email: &str, errors: FormErrors) -> Result<Response, PageError> {
    let shell = context.shell(Section::Outside, &context.words().forgotten.new_title).with_errors(errors);
    let key = context.request.key().reveal().to_owned();
    let template = NewPasswordPage { key, email: email.to_owned(), shell };
    form_page(&template, &template.shell)
}

/// Sets the password and ends all sessions. The person then signs in with it: the link alone lets nobody in.
pub(super) async fn set_password(context: &Context<'_>) -> Result<Response, PageError> {
    let (parts, key) = (context.parts, context.request.key());
    let person = match parts.people.reset_link(&key).await {
        Ok(person) => person,
        Err(Error::NotFound) => return gone(context),
        Err(error) => return Err(error.into()),
    };
    let mut errors = FormErrors::default();
    let password = fields::new_password(context.form(), Some(&person.email), &mut errors, context.words());
    let Some(password) = password else { return new_form(context, person.email.as_str(), errors) };
    let password = parts.passwords.hash(password).await?;
    match parts.people.reset_password(&key, password, context.request.address).await {
        Ok(_) => Ok(context.to("/sign-in?done=password-set")),
        Err(Error::NotFound) => gone(context),
        Err(error) => Err(error.into()),
    }
}
