//! `a11ycheck-server admin …`: the tasks that the account web interface of a hosted installation does, for operators of
//! their own.
//!
//! One file per subject: its commands, their work, and their output.

mod backup;
mod brand;
mod doctor;
mod endpoint;
mod lines;
mod person;
mod plan;
mod scan;
mod sealing;
mod setting;
mod team;
mod token;
mod transfer;

use a11ycheck_api_v1::ErrorBody;
use a11ycheck_core::Service;
use clap::{Args, Subcommand};

use crate::{
    AnyError,
    parts::{self, TakesKeys},
    settings::Settings,
    store::ChosenStore,
    welcome,
};

pub(crate) use self::lines::on_one_line;
use self::{
    backup::{BackupArguments, RestoreArguments},
    endpoint::EndpointCommand,
    lines::Outcome,
    person::PersonCommand,
    plan::PlanCommand,
    scan::ScanCommand,
    sealing::SealingCommand,
    setting::SettingCommand,
    team::TeamCommand,
    token::TokenCommand,
    transfer::{ExportArguments, ImportArguments},
};

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
    /// Looks for what checks need on this machine (browser, sandbox, fonts, axe-core), and at the data, the clock, the disks, the
    /// proxy and the addresses. Says what to do about what is missing or fails, and then ends with an error. Changes nothing.
    Doctor,
    /// Writes all data into a file, while the server works or not: for data in --data-dir. The sealing key is not in it.
    Backup(BackupArguments),
    /// Puts a backup in the place of the data, and keeps what was there under another name. Stop the server before.
    Restore(RestoreArguments),
    /// Writes everything into a file that a server on any kind of data takes, while servers work or not. The sealing key is not in
    /// it. To keep a copy of the data, `backup` is faster.
    Export(ExportArguments),
    /// Moves everything that `export` has written to where the settings keep the data, which must be new. Stop the former server
    /// before the export, or what it does after it is lost.
    Import(ImportArguments),
    #[command(flatten)]
    Stored(Subject),
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
    /// People who sign in to the account web interface.
    #[command(subcommand)]
    Person(PersonCommand),
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

impl Subject {
    /// Returns whether a command takes keys. A rotation takes keys as well, but not those that the database expects.
    const fn takes_keys(&self) -> TakesKeys {
        match self {
            Self::Endpoint(command) if command.makes_secret() => TakesKeys::Yes,
            _ => TakesKeys::No,
        }
    }
}

/// Carries out a command, and prints its output.
pub(crate) async fn run(settings: &Settings, admin: Admin) -> Result<(), AnyError> {
    let print = |outcome: Outcome| {
        welcome::print(if admin.json { outcome.in_json() } else { outcome.in_lines() });
    };
    match admin.task {
        Task::Doctor => {
            let diagnosis = doctor::examine(settings).await?;
            print(diagnosis.things);
            Ok(diagnosis.outcome?)
        }
        Task::Backup(arguments) => {
            print(backup::back_up(settings, arguments).await?);
            Ok(())
        }
        Task::Restore(arguments) => {
            print(backup::restore(settings, arguments).await?);
            Ok(())
        }
        Task::Export(arguments) => {
            print(transfer::export(settings, arguments).await?);
            Ok(())
        }
        Task::Import(arguments) => {
            print(transfer::import(settings, arguments).await?);
            Ok(())
        }
        Task::Stored(Subject::Sealing(SealingCommand::NewKey { file })) => {
            welcome::print(&sealing::new_key(file.as_deref())?);
            Ok(())
        }
        Task::Stored(subject) => {
            let store = ChosenStore::open_beside(settings).await?;
            let service = parts::for_admin(settings, &store, subject.takes_keys()).await?;
            let outcome = stored(settings, &service, subject).await;
            store.close().await;
            print(outcome?);
            Ok(())
        }
    }
}

/// Carries out a command on the stored data.
async fn stored(settings: &Settings, service: &Service, subject: Subject) -> Result<Outcome, AnyError> {
    Ok(match subject {
        Subject::Team(command) => team::run(service, command).await?,
        Subject::Plan(command) => plan::run(service, command).await?,
        Subject::Setting(command) => setting::run(service, command).await?,
        Subject::Person(command) => person::run(service, command).await?,
        Subject::Token(command) => token::run(service, command).await?,
        Subject::Scan(command) => scan::run(service, command).await?,
        Subject::Endpoint(command) => endpoint::run(service, command).await.map_err(in_words)?,
        Subject::Sealing(command) => sealing::run(settings, service, command).await?,
    })
}

/// Replaces an error about fields by its message, which says what is wrong with which field.
fn in_words(error: a11ycheck_core::Error) -> AnyError {
    match &error {
        a11ycheck_core::Error::Invalid(_) => ErrorBody::from(&error).message.into(),
        _ => error.into(),
    }
}
