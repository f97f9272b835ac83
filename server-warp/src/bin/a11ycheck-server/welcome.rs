//! The first and the last output of the program.

use std::{env, error::Error as StdError, net::SocketAddr};

use a11ycheck_account_web::AccountWeb;
use a11ycheck_core::{Error, Service, domain::Team};

use crate::{
    admin::on_one_line,
    demo::Demo,
    log_lines::causes,
    parts::Parts,
    settings::{LogFormat, Settings},
    store::ChosenStore,
    telemetry,
};

/// The addresses of a running server.
pub(crate) struct Addresses {
    /// The address on which it really listens, whatever port was asked for.
    pub(crate) listen: SocketAddr,
    /// The address of the metrics, if they have one of their own.
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// The address at which clients reach the API.
    pub(crate) base_url: String,
    /// The account web interface, if this process serves it.
    pub(crate) account: Option<AccountAddress>,
}

/// The addresses of the account web interface.
pub(crate) struct AccountAddress {
    /// The address of the sign-in.
    pub(crate) sign_in: String,
    /// The link with which the first account is made, if there is nobody yet. Whoever has it operates the installation.
    pub(crate) first_link: Option<String>,
}

impl AccountAddress {
    /// Makes the link if there is nobody yet, in place of one of an earlier start.
    pub(crate) async fn of(web: &AccountWeb, service: &Service) -> Result<Self, Error> {
        let secret = match service.people() {
            Some(people) => people.first_link().await?,
            None => None,
        };
        Ok(Self { sign_in: web.address(), first_link: secret.map(|secret| web.first_link(&secret)) })
    }
}

/// Says at which address the server responds, and how to try it: in a line of the log, and for a person on standard
/// output as well. If the log is JSON, programs read this output, and nothing else is printed; the demo token, which
/// belongs into no log, is then only in the ready file.
pub(crate) fn welcome(settings: &Settings, addresses: &Addresses, parts: &Parts, demo: Option<&Demo>) {
    let versions = parts.versions.as_ref();
    tracing::info!(
        listen = %addresses.listen,
        metrics_listen = addresses.metrics_listen.map(tracing::field::display),
        base_url = addresses.base_url,
        account = addresses.account.as_ref().map(|account| account.sign_in.as_str()),
        store = parts.store.kind(),
        data = parts.store.file().map(|file| tracing::field::display(file.display().to_string())),
        browser = versions.and_then(|versions| versions.browser.as_deref()),
        axe = versions.map(|versions| versions.version.as_str()),
        version = env!("CARGO_PKG_VERSION"),
        "Listening"
    );
    match (telemetry::format(settings), demo) {
        (LogFormat::Text, _) => print(&banner(addresses, parts, demo)),
        (LogFormat::Json, Some(Demo::Made { team, .. })) if settings.ready_file.is_some() => {
            tracing::info!(team = %team.id, plan = %team.plan.code, "Created a demo team; its token is in the ready file");
        }
        (LogFormat::Json, Some(Demo::Made { team, .. })) => {
            tracing::warn!(team = %team.id, plan = %team.plan.code, "Created a demo team, and its token is shown nowhere: make another one with `admin token create`, or name a file for it with --ready-file");
        }
        (LogFormat::Json, Some(Demo::Kept { .. }) | None) => {}
    }
}

fn banner(addresses: &Addresses, parts: &Parts, demo: Option<&Demo>) -> String {
    let Addresses { listen, base_url, .. } = addresses;
    let store = match (&parts.store, parts.store.file()) {
        (_, Some(file)) => file.display().to_string(),
        (ChosenStore::Memory(_), None) => "memory: everything is gone when this process ends".to_owned(),
        (ChosenStore::Sqlite(_) | ChosenStore::Postgres(_), None) => "PostgreSQL".to_owned(),
    };
    let (browser, axe) = match &parts.versions {
        Some(versions) => (versions.browser.as_deref().unwrap_or_default(), versions.version.as_str()),
        None => ("none: this process runs no worker", "none"),
    };
    let metrics = addresses.metrics_listen.map(|address| format!("  metrics   http://{address}/metrics\n"));
    let metrics = metrics.unwrap_or_default();
    let account = addresses.account.as_ref().map(account_lines).unwrap_or_default();
    let team = match demo {
        Some(Demo::Made { team, token }) => team_and_lines(base_url, team, token.reveal()),
        Some(Demo::Kept { team }) => {
            let admin = admin(parts);
            let Team { id, name, plan, .. } = &**team;
            format!(
                "  team      {}, plan {}\n\nIts tokens are as they were. Another one:\n\n  {admin} token create {id} --name 'Another token'\n",
                on_one_line(name),
                on_one_line(&plan.name)
            )
        }
        None => {
            let admin = admin(parts);
            format!(
                "\nTeams and their tokens are made on the command line, while this runs:\n\n  {admin} team create --name 'Blue Team' --plan pro\n  {admin} token create TEAM --name CI\n"
            )
        }
    };
    format!(
        "\
a11ycheck answers at {base_url}

  listens   {listen}
{metrics}  data      {store}
  browser   {browser}
  axe-core  {axe}
{account}{team}
Ctrl-C stops it.
"
    )
}

fn account_lines(AccountAddress { sign_in, first_link }: &AccountAddress) -> String {
    match first_link {
        Some(link) => format!("  people    {sign_in}\n            create the first account, within an hour: {link}\n"),
        None => format!("  people    {sign_in}\n"),
    }
}

/// Returns the beginning of a command line that works on the data of this process: of its program, as it was started itself.
fn admin(parts: &Parts) -> String {
    let program = env::args().next().unwrap_or_else(|| env!("CARGO_BIN_NAME").to_owned());
    let place = match parts.store.file() {
        // Its file lies in a folder.
        Some(file) => format!("--data-dir {}", in_shell(&file.parent().unwrap_or(&file).to_string_lossy())),
        // The address may contain a password.
        None => "--database-url …".to_owned(),
    };
    format!("{} {place} admin", in_shell(&program))
}

/// Returns a word as a shell takes it.
fn in_shell(word: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "/._-+=:@%".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn team_and_lines(base_url: &str, team: &Team, token: &str) -> String {
    let (team, plan) = (&team.name, &team.plan.name);
    format!(
        "\
\u{20} team      {team}, plan {plan}
  token     {token}   (shown this once)

Try it:

  curl -H 'Authorization: Bearer {token}' {base_url}/account

  curl -H 'Authorization: Bearer {token}' -H 'Content-Type: application/json' \\
       -d '{{\"url\": \"https://example.com\", \"report_locale\": \"en\"}}' {base_url}/sites

  curl -H 'Authorization: Bearer {token}' {base_url}/sites
"
    )
}

/// Prints the text that was asked for.
#[expect(clippy::print_stdout, reason = "what the operator asked to see")]
pub(crate) fn print(text: &str) {
    print!("{text}");
}

/// Prints the shutdown message of a program that does not run: the error, then its causes.
#[expect(clippy::print_stderr, reason = "the last output of a program that could not start")]
pub(crate) fn print_shutdown_message(error: &(dyn StdError + 'static)) {
    eprintln!("a11ycheck-server: {error}");
    for cause in causes(error) {
        eprintln!("  because: {cause}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_any_name_can_be_pasted_into_a_shell() {
        assert_eq!(in_shell("/var/lib/a11ycheck"), "/var/lib/a11ycheck");
        assert_eq!(in_shell("/srv/Anna's data"), r"'/srv/Anna'\''s data'");
    }
}
