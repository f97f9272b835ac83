//! The plan of a team and what of it is used.

use a11ycheck_core::{domain::PlanStatus, service::Account};
use askama::Template;
use chrono::DateTime;

use super::{
    context::{InTeam, page},
    error::PageError,
};
use crate::{
    response::Response,
    shell::{Section, Shell},
    time::{Instant, clock},
};

#[derive(Template)]
#[template(path = "usage.html")]
struct UsagePage {
    shell: Shell,
    account: Account,
    status: &'static str,
    ends_at: Option<Instant>,
    interval: String,
}

impl UsagePage {
    fn features(&self) -> [(&'static str, bool); 4] {
        let (words, features) = (&self.shell.words.usage, &self.account.team.plan.features);
        [
            (&words.feature_api, features.api),
            (&words.feature_exports, features.exports),
            (&words.feature_white_label, features.white_label),
            (&words.feature_acr, features.acr_drafts),
        ]
    }
}

pub(super) async fn show(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let account = team.handle().account().await?;
    let words = &team.words().usage;
    let status = match account.status {
        PlanStatus::Trialing => &words.status_trialing,
        PlanStatus::Active => &words.status_active,
        PlanStatus::PastDue => &words.status_past_due,
        PlanStatus::Canceled => &words.status_canceled,
        _ => &words.status_unknown,
    };
    let subscription = &account.team.subscription;
    let ends_at = subscription.ends_at.or(subscription.trial_ends_at).map(Instant::of);
    let interval = account.team.plan.limits.manual_check_interval.after(DateTime::UNIX_EPOCH) - DateTime::UNIX_EPOCH;
    let shell = team.shell(Section::Usage, &words.title);
    page(&UsagePage { shell, account, status, ends_at, interval: clock(interval) })
}
