//! `a11ycheck-server admin …`: what the account web interface of a hosted installation does, for those who run their own.
//!
//! One file per subject: its commands, what each does, and what there is to print.

mod brand;
mod endpoint;
mod lines;
mod plan;
mod scan;
mod sealing;
mod setting;
mod team;
mod token;

use std::error::Error;

use a11ycheck_core::{Service, message::ErrorBody};
use clap::{Args, Subcommand};

use self::{
    endpoint::EndpointCommand, lines::Outcome, plan::PlanCommand, scan::ScanCommand, sealing::SealingCommand,
    setting::SettingCommand, team::TeamCommand, token::TokenCommand,
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
    let outcome: Outcome = match admin.subject {
        Subject::Team(command) => team::run(service, command).await?.into(),
        Subject::Plan(command) => plan::run(service, command).await?.into(),
        Subject::Setting(command) => setting::run(service, command).await?.into(),
        Subject::Token(command) => token::run(service, command).await?.into(),
        Subject::Scan(command) => scan::run(service, command).await?.into(),
        Subject::Endpoint(command) => endpoint::run(service, command).await.map_err(in_words)?,
        Subject::Sealing(command) => sealing::run(settings, service, command).await?,
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
