//! `a11ycheck-server admin token …`: API tokens.

use std::collections::BTreeSet;

use a11ycheck_core::{
    Service,
    domain::{Ability, ApiToken},
    id::{TeamId, TokenId},
    service::TokenInput,
};
use chrono::{DateTime, Utc};
use clap::{Subcommand, ValueEnum};
use serde::Serialize;

use super::lines::{Deleted, Outcome};

#[derive(Debug, Subcommand)]
pub(super) enum TokenCommand {
    /// Lists the tokens of a team, without their secrets.
    List { team: TeamId },
    /// Creates a token and shows it, this once.
    Create {
        team: TeamId,
        #[arg(long)]
        name: String,
        /// What it may do, separated by commas. Abilities are independent: write does not include read.
        #[arg(long, value_enum, value_delimiter = ',', default_value = "read,write")]
        abilities: Vec<AbilityName>,
    },
    /// Deletes a token, which stops working at once.
    Delete { team: TeamId, token: TokenId },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum AbilityName {
    Read,
    Write,
}

pub(super) async fn run(service: &Service, command: TokenCommand) -> Result<Outcome, a11ycheck_core::Error> {
    Ok(match command {
        TokenCommand::List { team } => {
            let tokens = service.operator().team(team).await?.handle().tokens().await?;
            Outcome::list(&tokens.iter().map(ShownToken::of).collect::<Vec<_>>())
        }
        TokenCommand::Create { team, name, abilities } => {
            let abilities: BTreeSet<Ability> = abilities
                .into_iter()
                .map(|name| match name {
                    AbilityName::Read => Ability::Read,
                    AbilityName::Write => Ability::Write,
                })
                .collect();
            let (token, secret) =
                service.operator().team(team).await?.handle().create_token(TokenInput::new(name, abilities)).await?;
            Outcome::thing(&ShownToken { token: Some(secret.reveal()), ..ShownToken::of(&token) })
        }
        TokenCommand::Delete { team, token } => {
            service.operator().team(team).await?.handle().delete_token(token).await?;
            Outcome::thing(&Deleted { id: token, deleted: true })
        }
    })
}

#[derive(Serialize)]
struct ShownToken<'a> {
    id: TokenId,
    team: TeamId,
    name: &'a str,
    abilities: &'a BTreeSet<Ability>,
    created_at: DateTime<Utc>,
    /// The secret, if the token was just created.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
}

impl<'a> ShownToken<'a> {
    fn of(token: &'a ApiToken) -> Self {
        let ApiToken { id, team, name, abilities, created_at, .. } = token;
        Self { id: *id, team: *team, name, abilities, created_at: *created_at, token: None }
    }
}
