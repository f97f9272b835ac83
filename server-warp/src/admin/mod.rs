//! `a11ycheck-server admin …`: what the account web interface of a hosted installation does, for those who run their own.
//!
//! One file per subject: its commands, what each does, and what there is to print.

mod brand;
mod endpoint;
mod plan;
mod scan;
mod sealing;
mod team;
mod token;

use std::{error::Error, fmt::Write as _};

use a11ycheck_core::{Service, message::ErrorBody};
use clap::{Args, Subcommand};
use serde_json::Value;

use self::{
    endpoint::EndpointCommand, plan::PlanCommand, scan::ScanCommand, sealing::SealingCommand, team::TeamCommand,
    token::TokenCommand,
};
use crate::{settings::Settings, welcome};

#[derive(Debug, Args)]
pub(crate) struct Admin {
    /// Prints JSON, for scripts.
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    subject: Subject,
}

#[derive(Debug, Subcommand)]
enum Subject {
    /// Teams: who owns sites and tokens.
    #[command(subcommand)]
    Team(TeamCommand),
    /// Plans: what teams may do. A server stores those of its own settings when it starts.
    #[command(subcommand)]
    Plan(PlanCommand),
    /// API tokens.
    #[command(subcommand)]
    Token(TokenCommand),
    /// Checks.
    #[command(subcommand)]
    Scan(ScanCommand),
    /// Webhook endpoints.
    #[command(subcommand)]
    Endpoint(EndpointCommand),
    /// The keys that secrets in the database are sealed with.
    #[command(subcommand)]
    Sealing(SealingCommand),
}

/// Whether a command makes or shows a secret that is stored sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TakesKeys {
    Yes,
    No,
}

impl Admin {
    /// A rotation takes keys as well, but not those that the database expects.
    pub(crate) fn takes_keys(&self) -> TakesKeys {
        match &self.subject {
            Subject::Endpoint(command) if command.makes_secret() => TakesKeys::Yes,
            _ => TakesKeys::No,
        }
    }
}

/// Does what takes no database, and prints what there is to print; gives every other command back.
pub(crate) fn without_database(admin: Admin) -> Result<Option<Admin>, Box<dyn Error + Send + Sync>> {
    match &admin.subject {
        Subject::Sealing(SealingCommand::NewKey { file }) => {
            welcome::print(&sealing::new_key(file.as_deref())?);
            Ok(None)
        }
        _ => Ok(Some(admin)),
    }
}

/// Does what is asked, and gives what there is to print.
pub(crate) async fn run(
    settings: &Settings,
    service: &Service,
    admin: Admin,
) -> Result<String, Box<dyn Error + Send + Sync>> {
    let outcome = match admin.subject {
        Subject::Team(command) => team::run(service, command).await?,
        Subject::Plan(command) => plan::run(service, command).await?,
        Subject::Token(command) => token::run(service, command).await?,
        Subject::Scan(command) => scan::run(service, command).await?,
        Subject::Endpoint(command) => endpoint::run(service, command).await.map_err(in_words)?,
        Subject::Sealing(command) => sealing::run(settings, service, command).await?,
    };
    Ok(if admin.json { format!("{outcome:#}\n") } else { in_lines(&outcome) })
}

/// What is wrong with which field, rather than that something is.
fn in_words(error: a11ycheck_core::Error) -> Box<dyn Error + Send + Sync> {
    match &error {
        a11ycheck_core::Error::Invalid(_) => ErrorBody::from(&error).message.into(),
        _ => error.into(),
    }
}

/// A line per thing, `name: value` by `name: value`; things within things as JSON.
fn in_lines(outcome: &Value) -> String {
    let things = outcome.as_array().map_or_else(|| std::slice::from_ref(outcome), Vec::as_slice);
    let mut lines = String::new();
    for thing in things {
        for (index, (name, value)) in thing.as_object().into_iter().flatten().enumerate() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            // Writing to a string does not fail.
            let _ = write!(lines, "{}{name}: {value}", if index == 0 { "" } else { "  " });
        }
        lines.push('\n');
    }
    if things.is_empty() {
        lines.push_str("none\n");
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_thing_is_a_line_and_no_things_are_told() {
        assert_eq!(in_lines(&json!([{"id": "a", "n": 1}, {"id": "b", "n": null}])), "id: a  n: 1\nid: b  n: null\n");
        assert_eq!(in_lines(&json!([])), "none\n");
    }
}
