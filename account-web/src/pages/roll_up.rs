//! All sites in a few numbers, those of each tag, and those of each choice of own fields.

use a11ycheck_core::{domain::SiteField, service::SiteTotals};
use askama::Template;

use super::{
    context::{InTeam, page},
    error::PageError,
    site_fields::parameter,
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
    by_field: Vec<(SiteField, Vec<(String, SiteTotals)>)>,
}

impl RollUpPage {
    fn parameter(&self, field: &SiteField) -> String {
        parameter(field)
    }
}

pub(super) async fn show(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let roll_up = team.handle().roll_up().await?;
    let shell = team.shell(Section::Sites, &team.words().roll_up.title);
    let (by_tag, by_field) = (roll_up.by_tag.into_iter().collect(), roll_up.by_field);
    page(&RollUpPage { shell, all: roll_up.all, by_tag, by_field })
}
