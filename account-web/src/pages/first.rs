//! The first person of an installation.

use a11ycheck_core::{
    Error,
    domain::{ExternalKey, Role, Team},
    paging::PageRequest,
    service::{PersonInput, TeamInput},
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

#[derive(Template)]
#[template(path = "first.html")]
struct FirstPage<'a> {
    shell: Shell,
    key: String,
    email: &'a str,
    name: &'a str,
    /// The entry for the name of the team; `None` where there is a team, which is the person's then.
    team: Option<&'a str>,
    offers_demo: bool,
}

/// The name and the address of the person who only looks around. No mail arrives at the address (RFC 2606).
const DEMO: (&str, &str) = ("Demo", "demo@a11ycheck.example");

#[derive(Template)]
#[template(path = "message.html")]
struct Gone<'a> {
    shell: Shell,
    text: &'a str,
}

/// Shows the form behind the link that the server logs, or says that the link is no longer valid.
pub(super) async fn show(context: &Context<'_>) -> Result<Response, PageError> {
    let key = context.request.key();
    if context.parts.people.is_first_link(&key).await? {
        form(context, FormErrors::default()).await
    } else {
        gone(context)
    }
}

fn gone(context: &Context<'_>) -> Result<Response, PageError> {
    let words = &context.words().first;
    page(&Gone { shell: context.shell(Section::Outside, &words.gone_title), text: &words.gone_text })
}

async fn form(context: &Context<'_>, errors: FormErrors) -> Result<Response, PageError> {
    let shell = context.shell(Section::Outside, &context.words().first.title).with_errors(errors);
    let sent = context.form();
    let (email, name) = (sent.get("email"), sent.get("name"));
    let team = oldest_team(context).await?.is_none().then(|| sent.get("team"));
    let (key, offers_demo) = (context.request.key().reveal().to_owned(), offers_demo(context));
    let template = FirstPage { key, email, name, team, offers_demo, shell };
    form_page(&template, &template.shell)
}

/// Creates the first person, who operates the installation and owns its first team, and signs the person in.
pub(super) async fn create(context: &Context<'_>) -> Result<Response, PageError> {
    let (people, words, sent) = (&context.parts.people, context.words(), context.form());
    let key = context.request.key();
    if !people.is_first_link(&key).await? {
        return gone(context);
    }
    let (input, password) = if offers_demo(context) && sent.get("demo") == "yes" {
        let (name, email) = DEMO;
        // A constant that is an address.
        let email = email.parse().expect("the address of the demo is an address");
        (PersonInput::new(email).with_name(name).with_locale(context.locale), None)
    } else {
        let mut errors = FormErrors::default();
        let name = fields::person_name(sent, &mut errors, words);
        let email = fields::email(sent, &mut errors, words);
        let password = fields::new_password(sent, email.as_ref(), &mut errors, words);
        let (Some(name), Some(email), Some(password)) = (name, email, password) else {
            return form(context, errors).await;
        };
        let password = context.parts.passwords.hash(password).await?;
        let input = PersonInput::new(email).with_name(name).with_locale(context.locale);
        (input.with_password(password.clone()), Some(password))
    };
    let person = match people.redeem_first_link(&key, input, context.request.address).await {
        Ok(person) => person,
        Err(Error::NotFound) => return gone(context),
        Err(error) => return Err(error.into()),
    };
    // The person is there, whatever becomes of the team: the operator's pages make another one.
    let next = match first_team(context, sent.get("team")).await {
        Ok(Some(team)) => {
            let operated = context.parts.service.operator().team(team.id).await?;
            let actor = a11ycheck_core::service::Actor::person(&person, context.request.address);
            people.of_team(operated.handle(), actor).add_member(&person, Role::Owner).await?;
            format!("/teams/{}/sites", team.id)
        }
        Ok(None) => "/operator".to_owned(),
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "The first team could not be made");
            "/operator".to_owned()
        }
    };
    let begun = begin_session(context, &person, &next).await?;
    Ok(match password {
        Some(password) => context.remembered(begun, person.id, &password),
        None => begun,
    })
}

fn offers_demo(context: &Context<'_>) -> bool {
    context.parts.installation.get().is_some_and(|installation| installation.offers_demo)
}

/// Returns the oldest team, or makes one on the largest plan that includes the API; `None` if there is no such plan.
async fn first_team(context: &Context<'_>, name: &str) -> Result<Option<Team>, Error> {
    if let Some(team) = oldest_team(context).await? {
        return Ok(Some(team));
    }
    let operator = context.parts.service.operator();
    let plans = operator.plans().await?.into_iter().filter(|plan| plan.features.api);
    let Some(plan) = plans.max_by_key(|plan| plan.limits.sites) else { return Ok(None) };
    let name = if name.is_empty() { context.words().first.team.as_str() } else { name };
    // A key is any text in one line of up to 200 characters; with it, two requests make one team.
    let key = ExternalKey::new("first-team").expect("the key of the first team is a key");
    let handle = operator.team_for(key, TeamInput::new(name, plan.code)).await?;
    Ok(Some(Team::clone(&*handle.team().await?)))
}

async fn oldest_team(context: &Context<'_>) -> Result<Option<Team>, Error> {
    Ok(context.parts.service.operator().teams(PageRequest::new(1, 1)).await?.items.into_iter().next())
}
