//! All sites in a few numbers, and those of each tag.

use a11ycheck_core::service::SiteTotals;
use askama::Template;

use super::{
    context::{InTeam, page},
    error::PageError,
};
use crate::{
    response::Response,
    shell::{Section, Shell},
};

#[derive(Template)]
#[template(path = "roll-up.html")]
struct RollUpPage {
    shell: Shell,
    all: SiteTotals,
    by_tag: Vec<(String, SiteTotals)>,
}

pub(super) async fn show(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let roll_up = team.handle().roll_up().await?;
    let shell = team.shell(Section::Sites, &team.words().roll_up.title);
    page(&RollUpPage { shell, all: roll_up.all, by_tag: roll_up.by_tag.into_iter().collect() })
}
