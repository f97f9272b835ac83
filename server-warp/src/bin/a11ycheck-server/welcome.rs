//! The first and the last output of the program.

use std::{error::Error, net::SocketAddr};

use crate::{
    demo::Demo,
    log_lines::causes,
    parts::Parts,
    settings::{LogFormat, Settings},
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
        store = if parts.is_durable { "postgresql" } else { "memory" },
        browser = versions.and_then(|versions| versions.browser.as_deref()),
        axe = versions.map(|versions| versions.version.as_str()),
        version = env!("CARGO_PKG_VERSION"),
        "Listening"
    );
    match (telemetry::format(settings), demo) {
        (LogFormat::Text, _) => print(&banner(addresses, parts, demo)),
        (LogFormat::Json, Some(demo)) if settings.ready_file.is_some() => {
            tracing::info!(team = %demo.team.id, plan = %demo.team.plan.code, "Created a demo team; its token is in the ready file");
        }
        (LogFormat::Json, Some(demo)) => {
            tracing::warn!(team = %demo.team.id, plan = %demo.team.plan.code, "Created a demo team, and its token is shown nowhere: name a file for it with --ready-file, or log as text");
        }
        (LogFormat::Json, None) => {}
    }
}

fn banner(addresses: &Addresses, parts: &Parts, demo: Option<&Demo>) -> String {
    let Addresses { listen, base_url, .. } = addresses;
    let store = if parts.is_durable { "PostgreSQL" } else { "memory: everything is gone when this process ends" };
    let (browser, axe) = match &parts.versions {
        Some(versions) => (versions.browser.as_deref().unwrap_or_default(), versions.version.as_str()),
        None => ("none: this process runs no worker", "none"),
    };
    let metrics = addresses.metrics_listen.map(|address| format!("  metrics   http://{address}/metrics\n"));
    let metrics = metrics.unwrap_or_default();
    let team = demo.map_or_else(
        || {
            "\nCreate a team with `a11ycheck-server --database-url … admin team create`, then a token for it.\n"
                .to_owned()
        },
        |demo| team_and_lines(base_url, demo),
    );
    format!(
        "\
a11ycheck answers at {base_url}

  listens   {listen}
{metrics}  store     {store}
  browser   {browser}
  axe-core  {axe}
{team}
Ctrl-C stops it.
"
    )
}

fn team_and_lines(base_url: &str, demo: &Demo) -> String {
    let (team, plan, token) = (&demo.team.name, &demo.team.plan.name, demo.token.reveal());
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
pub(crate) fn print_shutdown_message(error: &(dyn Error + 'static)) {
    eprintln!("a11ycheck-server: {error}");
    for cause in causes(error) {
        eprintln!("  because: {cause}");
    }
}
