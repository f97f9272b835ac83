//! `a11ycheck-server admin person …`: people who sign in to the account web interface.

use std::path::{Path, PathBuf};

use a11ycheck_account_web::{AccountWeb, hash};
use a11ycheck_core::{
    Error, Service,
    domain::{EmailAddress, PasswordHash, Person, PersonKind, Role},
    id::{PersonId, TeamId},
    locale::Locale,
    paging::PageRequest,
    service::{Actor, People, PersonInput},
};
use chrono::{DateTime, Utc};
use clap::{Subcommand, ValueEnum};
use serde::Serialize;

use super::lines::Outcome;
use crate::{AnyError, secret_file};

#[derive(Debug, Subcommand)]
pub(super) enum PersonCommand {
    /// Lists the people, the oldest first.
    List {
        #[arg(long, default_value_t = 1)]
        page: u32,
    },
    /// Creates a person, who signs in with a password.
    Create {
        #[arg(long)]
        email: EmailAddress,
        #[arg(long)]
        name: String,
        /// A file with the password in its first line, which others must not be able to read.
        #[arg(long, value_name = "PATH")]
        password_file: PathBuf,
        /// The language of the pages.
        #[arg(long, default_value = "en")]
        locale: Locale,
        /// Lets the person operate the installation.
        #[arg(long)]
        operator: bool,
        /// Makes the person a member of this team.
        #[arg(long, value_name = "TEAM")]
        team: Option<TeamId>,
        /// The role in the team.
        #[arg(long, value_enum, default_value = "owner", requires = "team")]
        role: RoleName,
    },
    /// Sets the password of a person, and signs the person out everywhere.
    SetPassword {
        #[arg(long)]
        email: EmailAddress,
        /// A file with the password in its first line, which others must not be able to read.
        #[arg(long, value_name = "PATH")]
        password_file: PathBuf,
    },
    /// Switches the second step of a person's sign-in off: for who has lost the app and all recovery codes.
    ResetSecondFactor {
        #[arg(long)]
        email: EmailAddress,
    },
    /// Makes a link with which the first account is made, for an hour, in place of an earlier one; only while there is nobody yet.
    FirstLink,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum RoleName {
    Viewer,
    Member,
    Owner,
}

impl RoleName {
    const fn role(self) -> Role {
        match self {
            Self::Viewer => Role::Viewer,
            Self::Member => Role::Member,
            Self::Owner => Role::Owner,
        }
    }
}

/// The shortest password in characters, as on the pages.
const LEAST: usize = 12;

pub(super) async fn run(service: &Service, command: PersonCommand) -> Result<Outcome, AnyError> {
    // Every store of this program keeps people.
    let people = service.people().ok_or("this server keeps no people")?;
    let actor = Actor::program("admin");
    Ok(match command {
        PersonCommand::List { page } => {
            let page = people.persons(PageRequest::new(page, PageRequest::MAX_PER_PAGE)).await?;
            Outcome::page(&page, &page.items.iter().map(ShownPerson::of).collect::<Vec<_>>())
        }
        PersonCommand::Create { email, name, password_file, locale, operator, team, role } => {
            let team = match team {
                Some(team) => Some(service.operator().team(team).await?),
                None => None,
            };
            let input =
                PersonInput::new(email).with_name(name).with_locale(locale).with_password(password(&password_file)?);
            let kind = if operator { PersonKind::Operator } else { PersonKind::User };
            let person = people.create_person(&actor, input, kind).await?;
            if let Some(team) = team {
                people.of_team(team.handle(), actor).add_member(&person, role.role()).await?;
            }
            Outcome::thing(&ShownPerson::of(&person))
        }
        PersonCommand::SetPassword { email, password_file } => {
            let person = known(&people, &email).await?;
            people.set_password(&person, password(&password_file)?, None, None).await?;
            Outcome::thing(&ShownPerson::of(&person))
        }
        PersonCommand::ResetSecondFactor { email } => {
            let person = known(&people, &email).await?;
            people.disable_second_factor(&actor, &person).await.map_err(|error| match error {
                Error::NotFound => AnyError::from("the second step of this person's sign-in is not switched on"),
                error => error.into(),
            })?;
            Outcome::thing(&ShownPerson::of(&person))
        }
        PersonCommand::FirstLink => {
            let web = AccountWeb::new(service).ok_or("this server keeps no people")?;
            let secret = people.first_link().await?.ok_or(
                "there is an account already: an owner invites further people, or make one with `admin person create`",
            )?;
            Outcome::thing(&FirstLink { link: web.first_link(&secret) })
        }
    })
}

async fn known(people: &People, email: &EmailAddress) -> Result<Person, Error> {
    Ok(people.credentials(email).await?.ok_or(Error::NotFound)?.person)
}

fn password(file: &Path) -> Result<PasswordHash, AnyError> {
    let text = secret_file::read(file)?;
    let password = text.lines().next().unwrap_or_default();
    if password.chars().count() < LEAST {
        return Err(format!("{}: the password has fewer than {LEAST} characters", file.display()).into());
    }
    Ok(hash(password)?)
}

#[derive(Serialize)]
struct FirstLink {
    link: String,
}

#[derive(Serialize)]
struct ShownPerson<'a> {
    id: PersonId,
    email: &'a str,
    name: &'a str,
    locale: Locale,
    operator: bool,
    created_at: DateTime<Utc>,
}

impl<'a> ShownPerson<'a> {
    fn of(person: &'a Person) -> Self {
        let Person { id, email, name, locale, kind, created_at, notices: _ } = person;
        Self {
            id: *id,
            email: email.as_str(),
            name,
            locale: *locale,
            operator: kind.operates(),
            created_at: *created_at,
        }
    }
}
