//! `a11ycheck-server admin …`: what the account web interface of a hosted installation does, for those who run their own.
//!
//! One file per subject: its commands, what each does, and what there is to print.

mod brand;
mod endpoint;
mod lines;
mod plan;
mod scan;
mod setting;
mod team;
mod token;

use std::error::Error;

use a11ycheck_core::{Service, message::ErrorBody};
use clap::{Args, Subcommand};

use self::{
    endpoint::EndpointCommand, lines::Outcome, plan::PlanCommand, scan::ScanCommand, setting::SettingCommand,
    team::TeamCommand, token::TokenCommand,
};

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
    /// Plans: what teams may do. Only `put` and `delete` change those that are stored.
    #[command(subcommand)]
    Plan(PlanCommand),
    /// Settings that all servers of the database share.
    #[command(subcommand)]
    Setting(SettingCommand),
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

/// Does what is asked, and gives what there is to print.
pub(crate) async fn run(service: &Service, admin: Admin) -> Result<String, Box<dyn Error + Send + Sync>> {
    let outcome: Outcome = match admin.subject {
        Subject::Team(command) => team::run(service, command).await?.into(),
        Subject::Plan(command) => plan::run(service, command).await?.into(),
        Subject::Setting(command) => setting::run(service, command).await?.into(),
        Subject::Token(command) => token::run(service, command).await?.into(),
        Subject::Scan(command) => scan::run(service, command).await?.into(),
        Subject::Endpoint(command) => endpoint::run(service, command).await.map_err(in_words)?,
    };
    Ok(if admin.json { outcome.in_json() } else { outcome.in_lines() })
}

/// What is wrong with which field, rather than that something is.
fn in_words(error: a11ycheck_core::Error) -> Box<dyn Error + Send + Sync> {
    match &error {
        a11ycheck_core::Error::Invalid(_) => ErrorBody::from(&error).message.into(),
        _ => error.into(),
    }
}
