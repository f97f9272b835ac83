//! `a11ycheck-server admin …`: what the account web interface of a hosted installation does, for those who run their own.
//!
//! One file per subject: its commands, what each does, and what there is to print.

mod brand;
mod doctor;
mod endpoint;
mod plan;
mod scan;
mod team;
mod token;

use std::fmt::Write as _;

use a11ycheck_core::{Service, message::ErrorBody};
use clap::{Args, Subcommand};
use serde_json::Value;

use crate::{AnyError, parts, settings::Settings, welcome};

use self::{endpoint::EndpointCommand, plan::PlanCommand, scan::ScanCommand, team::TeamCommand, token::TokenCommand};

#[derive(Debug, Args)]
pub(crate) struct Admin {
    /// Prints JSON, for scripts.
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Looks for what checks need on this machine: browser, sandbox, fonts, axe-core. Says what to do about what is missing,
    /// and then ends with an error. Needs no database.
    Doctor,
    #[command(flatten)]
    Stored(Subject),
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
}

/// Does what is asked, and prints what there is to say.
pub(crate) async fn run(settings: &Settings, admin: Admin) -> Result<(), AnyError> {
    let print = |outcome: &Value| {
        welcome::print(&if admin.json { format!("{outcome:#}\n") } else { in_lines(outcome) });
    };
    match admin.task {
        Task::Doctor => {
            let diagnosis = doctor::examine(settings).await?;
            print(&diagnosis.things);
            Ok(diagnosis.outcome?)
        }
        Task::Stored(subject) => {
            print(&stored(&parts::for_admin(settings).await?, subject).await?);
            Ok(())
        }
    }
}

/// Does what is asked of the database.
async fn stored(service: &Service, subject: Subject) -> Result<Value, AnyError> {
    Ok(match subject {
        Subject::Team(command) => team::run(service, command).await?,
        Subject::Plan(command) => plan::run(service, command).await?,
        Subject::Token(command) => token::run(service, command).await?,
        Subject::Scan(command) => scan::run(service, command).await?,
        Subject::Endpoint(command) => endpoint::run(service, command).await.map_err(in_words)?,
    })
}

/// What is wrong with which field, rather than that something is.
fn in_words(error: a11ycheck_core::Error) -> AnyError {
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
