//! Accepting an invitation.

use a11ycheck_core::{
    Error,
    domain::{Invitation, Team},
    service::PersonInput,
};
use askama::Template;

use super::{
    context::{Context, form_page, page},
    error::PageError,
    sign_in::begin_session,
};
use crate::{
    fields,
    form_errors::FormErrors,
    response::Response,
    shell::{Section, Shell},
};

/// The person who follows the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guest {
    /// Somebody without an account, who gets one.
    New,
    /// The person who was invited, signed in.
    Invited,
    /// Somebody else, signed in.
    Other,
    /// Not signed in, and the address has an account.
    SignedOut,
}

#[derive(Template)]
#[template(path = "join.html")]
struct JoinPage<'a> {
    shell: Shell,
    key: String,
    guest: Guest,
    invitation: Invitation,
    team: Team,
    name: &'a str,
}

#[derive(Template)]
#[template(path = "message.html")]
struct Gone<'a> {
    shell: Shell,
    text: &'a str,
}

fn gone(context: &Context<'_>) -> Result<Response, PageError> {
    let words = &context.words().join;
    page(&Gone { shell: context.shell(Section::Outside, &words.gone_title), text: &words.gone_text })
}

pub(super) async fn show(context: &Context<'_>) -> Result<Response, PageError> {
    form(context, FormErrors::default()).await
}

async fn form(context: &Context<'_>, errors: FormErrors) -> Result<Response, PageError> {
    let (key, people) = (context.request.key(), &context.parts.people);
    let (invitation, team) = match people.invitation(&key).await {
        Ok(found) => found,
        Err(Error::NotFound) => return gone(context),
        Err(error) => return Err(error.into()),
    };
    let guest = match &context.signed_in {
        Some(signed_in) if signed_in.person.email == invitation.email => Guest::Invited,
        Some(_) => Guest::Other,
        None if people.credentials(&invitation.email).await?.is_some() => Guest::SignedOut,
        None => Guest::New,
    };
    let shell = context.shell(Section::Outside, &context.words().join.title).with_errors(errors);
    let template =
        JoinPage { key: key.reveal().to_owned(), guest, invitation, team, name: context.form().get("name"), shell };
    form_page(&template, &template.shell)
}

pub(super) async fn join(context: &Context<'_>) -> Result<Response, PageError> {
    let (key, people, words) = (context.request.key(), &context.parts.people, context.words());
    let (invitation, team) = match people.invitation(&key).await {
        Ok(found) => found,
        Err(Error::NotFound) => return gone(context),
        Err(error) => return Err(error.into()),
    };
    let next = format!("/teams/{}/sites?done=joined", team.id);
    if let Some(signed_in) = &context.signed_in {
        return match people.join(&key, &signed_in.person, context.request.address).await {
            Ok(_) => Ok(context.to(&next)),
            Err(Error::NotFound) => gone(context),
            Err(error) => form(context, FormErrors::of_refusal(error, "join", words)?).await,
        };
    }
    let mut errors = FormErrors::default();
    let name = fields::person_name(context.form(), &mut errors, words);
    let password = fields::new_password(context.form(), Some(&invitation.email), &mut errors, words);
    let (Some(name), Some(password)) = (name, password) else { return form(context, errors).await };
    let password = context.parts.passwords.hash(password).await?;
    let input = PersonInput::new(invitation.email.clone());
    let input = input.with_name(name).with_locale(context.locale).with_password(password.clone());
    match people.join_as_new(&key, input, context.request.address).await {
        Ok(_) => {}
        Err(Error::NotFound) => return gone(context),
        Err(error) => return form(context, FormErrors::of_refusal(error, "join", words)?).await,
    }
    let credentials = people.credentials(&invitation.email).await?.ok_or(Error::NotFound)?;
    let begun = begin_session(context, &credentials.person, &next).await?;
    Ok(context.remembered(begun, credentials.person.id, &password))
}
