//! The first and the last words of the program.

use std::error::Error;

use a11ycheck_core::domain::Engine;

use crate::demo::Demo;

/// Says where the server answers, and how to try it.
#[expect(clippy::print_stdout, reason = "what the operator asked to see")]
pub(crate) fn welcome(base_url: &str, versions: &Engine, demo: &Demo) {
    let token = demo.token.reveal();
    println!(
        "\
a11ycheck answers at {base_url}

  store     memory: everything is gone when this process ends
  browser   {browser}
  axe-core  {axe}
  team      {team}, plan {plan}
  token     {token}   (shown this once)

Try it:

  curl -H 'Authorization: Bearer {token}' {base_url}/account

  curl -H 'Authorization: Bearer {token}' -H 'Content-Type: application/json' \\
       -d '{{\"url\": \"https://example.com\", \"report_locale\": \"en\"}}' {base_url}/sites

  curl -H 'Authorization: Bearer {token}' {base_url}/sites

Ctrl-C stops it.",
        browser = versions.browser,
        axe = versions.axe,
        team = demo.team.name,
        plan = demo.team.plan.name,
    );
}

/// Says why the server does not run, from the outcome down to the cause.
#[expect(clippy::print_stderr, reason = "the last word of a program that could not start")]
pub(crate) fn farewell(error: &dyn Error) {
    eprintln!("a11ycheck-server: {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        eprintln!("  because: {error}");
        cause = error.source();
    }
}
