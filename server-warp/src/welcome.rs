//! The first and the last words of the program.

use std::error::Error;

use crate::{demo::Demo, parts::Parts};

/// Says where the server answers, and how to try it.
pub(crate) fn welcome(base_url: &str, parts: &Parts, demo: Option<&Demo>) {
    let store = if parts.is_durable { "PostgreSQL" } else { "memory: everything is gone when this process ends" };
    let (browser, axe) = match &parts.versions {
        Some(versions) => (versions.browser.as_str(), versions.axe.as_str()),
        None => ("none: this process runs no worker", "none"),
    };
    let team = demo.map_or_else(
        || {
            "\nCreate a team with `a11ycheck-server --database-url … admin team create`, then a token for it.\n"
                .to_owned()
        },
        |demo| team_and_lines(base_url, demo),
    );
    print(&format!(
        "\
a11ycheck answers at {base_url}

  store     {store}
  browser   {browser}
  axe-core  {axe}
{team}
Ctrl-C stops it.
"
    ));
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

/// Says what was asked for.
#[expect(clippy::print_stdout, reason = "what the operator asked to see")]
pub(crate) fn print(text: &str) {
    print!("{text}");
}

/// Says why the program does not run, from the outcome down to the cause.
#[expect(clippy::print_stderr, reason = "the last word of a program that could not start")]
pub(crate) fn farewell(error: &dyn Error) {
    eprintln!("a11ycheck-server: {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        eprintln!("  because: {error}");
        cause = error.source();
    }
}
