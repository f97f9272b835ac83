//! `a11ycheck-server admin token …`: API tokens.

use std::collections::BTreeSet;

use a11ycheck_core::{
    Service,
    domain::{Ability, ApiToken},
    id::{TeamId, TokenId},
    service::TokenInput,
};
use clap::{Subcommand, ValueEnum};
use serde_json::{Value, json};

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

pub(super) async fn run(service: &Service, command: TokenCommand) -> Result<Value, a11ycheck_core::Error> {
    Ok(match command {
        TokenCommand::List { team } => service.tokens(team).await?.iter().map(shown_token).collect::<Vec<_>>().into(),
        TokenCommand::Create { team, name, abilities } => {
            let abilities: BTreeSet<Ability> = abilities
                .into_iter()
                .map(|name| match name {
                    AbilityName::Read => Ability::Read,
                    AbilityName::Write => Ability::Write,
                })
                .collect();
            let (token, secret) = service.create_token(team, TokenInput { name, abilities }).await?;
            let mut shown = shown_token(&token);
            shown["token"] = secret.reveal().into();
            shown
        }
        TokenCommand::Delete { team, token } => {
            service.delete_token(team, token).await?;
            json!({"id": token, "deleted": true})
        }
    })
}

fn shown_token(token: &ApiToken) -> Value {
    json!({"id": token.id, "team": token.team, "name": token.name, "abilities": token.abilities, "created_at": token.created_at})
}
