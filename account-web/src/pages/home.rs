//! The way in, and the list of a person's teams.

use a11ycheck_core::{
    domain::{Membership, Team},
    locale::Locale,
};
use askama::Template;

use super::{
    context::{Context, page},
    error::PageError,
};
use crate::{
    cookies,
    response::Response,
    shell::{Section, Shell},
};

#[derive(Template)]
#[template(path = "teams.html")]
struct TeamsPage {
    shell: Shell,
    teams: Vec<(Membership, Team)>,
}

/// Leads to the sites of a person's only team, or to the list of teams, or to the sign-in.
pub(super) async fn home(context: &Context<'_>) -> Result<Response, PageError> {
    let Some(signed_in) = &context.signed_in else { return Ok(context.to("/sign-in")) };
    let teams = context.parts.people.memberships(signed_in.person.id).await?;
    Ok(match teams.as_slice() {
        [(_, team)] => context.to(&format!("/teams/{}/sites", team.id)),
        _ => context.to("/teams"),
    })
}

pub(super) async fn teams(context: &Context<'_>) -> Result<Response, PageError> {
    let teams = context.parts.people.memberships(context.signed_in()?.person.id).await?;
    page(&TeamsPage { shell: context.shell(Section::Teams, &context.words().teams.title), teams })
}

/// Keeps the chosen language, and leads back to the page where it was chosen.
pub(super) fn set_language(context: &Context<'_>) -> Response {
    let locale = context.form().get("language").parse().unwrap_or(Locale::En);
    let response = context.to(&own_path(context.form().get("back")));
    cookies::with_language(response, locale, &context.parts.places)
}

/// Returns a path below the root as a form names it; the root itself in place of anything that could lead elsewhere.
pub(super) fn own_path(path: &str) -> String {
    let is_own = path.starts_with('/') && !path.starts_with("//") && !path.contains(['\\', '\r', '\n']);
    if is_own { path.to_owned() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leads_away_from_the_interface() {
        for path in ["https://evil.example", "//evil.example", "/\\evil.example", "evil", "/a\r\nSet-Cookie: x", ""] {
            assert_eq!(own_path(path), "", "{path}");
        }
        assert_eq!(own_path("/teams/team_1/sites?tag=a"), "/teams/team_1/sites?tag=a");
    }
}
