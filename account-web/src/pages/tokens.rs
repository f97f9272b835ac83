//! The API tokens of a team.

use a11ycheck_core::{
    domain::{Ability, ApiToken, AuditAction},
    id::TokenId,
    service::TokenInput,
};
use askama::Template;

use super::{
    context::{InTeam, form_page},
    error::PageError,
};
use crate::{
    form_errors::{FormErrors, missing},
    response::Response,
    shell::{Section, Shell},
    time::Instant,
};

/// The entries of the form, with what was wrong with it.
#[derive(Debug, Default)]
pub(super) struct Entered {
    name: String,
    errors: FormErrors,
    /// A token that was just made: its name and its secret, which is shown this once.
    made: Option<(String, String)>,
}

#[derive(Template)]
#[template(path = "tokens.html")]
struct TokensPage {
    shell: Shell,
    tokens: Vec<ApiToken>,
    name: String,
    made: Option<(String, String)>,
    base_url: String,
}

impl TokensPage {
    fn created(&self, token: &ApiToken) -> Instant {
        Instant::of(token.created_at)
    }

    fn last_used(&self, token: &ApiToken) -> String {
        token.last_used_on.map_or_else(|| self.shell.words.tokens.never_used.clone(), |day| day.to_string())
    }

    fn abilities(&self, token: &ApiToken) -> String {
        let words = &self.shell.words.tokens;
        let names = token.abilities.iter().map(|ability| match ability {
            Ability::Read => words.read.as_str(),
            Ability::Write => &words.write,
            other => other.as_str(),
        });
        names.collect::<Vec<_>>().join(", ")
    }
}

pub(super) async fn show(team: &InTeam<'_, '_>, entered: Entered) -> Result<Response, PageError> {
    let tokens = team.handle().tokens().await?;
    let Entered { name, errors, made } = entered;
    let shell = team.shell(Section::Tokens, &team.words().tokens.title).with_errors(errors);
    let base_url = team.context.parts.service.base_url().as_str().to_owned();
    let template = TokensPage { shell, tokens, name, made, base_url };
    form_page(&template, &template.shell)
}

/// Creates a token, and shows it this once.
pub(super) async fn create(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let (form, words) = (team.form(), team.words());
    let name = form.get("name").to_owned();
    let mut errors = FormErrors::default();
    if name.is_empty() {
        errors.add("name", missing("name", words));
    }
    let abilities: Vec<Ability> = Ability::KNOWN
        .iter()
        .copied()
        .filter(|ability| form.all("ability").any(|sent| sent == ability.as_str()))
        .collect();
    if abilities.is_empty() {
        errors.add("ability", &words.problems.ability);
    }
    if !errors.is_empty() {
        return show(team, Entered { name, errors, made: None }).await;
    }
    let (token, secret) = team.handle().create_token(TokenInput::new(name, abilities).made_by(team.maker()?)).await?;
    team.note(AuditAction::TokenCreated, &token.name).await?;
    let made = Some((token.name, secret.reveal().to_owned()));
    show(team, Entered { made, ..Entered::default() }).await
}

pub(super) async fn delete(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let token = TokenId::presented(id);
    team.handle().delete_token(token).await?;
    team.note(AuditAction::TokenDeleted, &token.to_string()).await?;
    Ok(team.done("/tokens", "token-deleted"))
}
