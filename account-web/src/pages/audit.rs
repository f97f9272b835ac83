//! The audit log.

use a11ycheck_core::{
    domain::{AuditAction, AuditRecord},
    paging::{Page, PageRequest},
};
use askama::Template;

use super::{
    context::{Context, InTeam, page},
    error::PageError,
    list::Paging,
};
use crate::{
    response::Response,
    shell::{Section, Shell},
    time::Instant,
};

#[derive(Template)]
#[template(path = "audit.html")]
struct AuditPage {
    shell: Shell,
    records: Vec<AuditRecord>,
    paging: Paging,
}

impl AuditPage {
    fn new(shell: Shell, page: Page<AuditRecord>) -> Self {
        let paging = Paging::of(&page, &[]);
        Self { shell, records: page.items, paging }
    }

    fn at(&self, record: &AuditRecord) -> Instant {
        Instant::of(record.at)
    }

    fn action(&self, record: &AuditRecord) -> &str {
        let words = &self.shell.words.audit;
        match record.action {
            AuditAction::PersonCreated => &words.person_created,
            AuditAction::SignedIn => &words.signed_in,
            AuditAction::SignedOut => &words.signed_out,
            AuditAction::PasswordChanged => &words.password_changed,
            AuditAction::MemberInvited => &words.member_invited,
            AuditAction::InvitationWithdrawn => &words.invitation_withdrawn,
            AuditAction::MemberJoined => &words.member_joined,
            AuditAction::RoleChanged => &words.role_changed,
            AuditAction::MemberRemoved => &words.member_removed,
            AuditAction::SiteAdded => &words.site_added,
            AuditAction::SiteChanged => &words.site_changed,
            AuditAction::SiteDeleted => &words.site_deleted,
            AuditAction::SitesImported => &words.sites_imported,
            AuditAction::SiteFieldAdded => &words.site_field_added,
            AuditAction::SiteFieldChanged => &words.site_field_changed,
            AuditAction::SiteFieldDeleted => &words.site_field_deleted,
            AuditAction::CheckStarted => &words.check_started,
            AuditAction::TokenCreated => &words.token_created,
            AuditAction::TokenDeleted => &words.token_deleted,
            AuditAction::EndpointCreated => &words.endpoint_created,
            AuditAction::EndpointChanged => &words.endpoint_changed,
            AuditAction::EndpointSwitched => &words.endpoint_switched,
            AuditAction::EndpointDeleted => &words.endpoint_deleted,
            AuditAction::EventSent => &words.event_sent,
            AuditAction::ElementJudged => &words.element_judged,
            AuditAction::JudgementUndone => &words.judgement_undone,
            AuditAction::ReportShared => &words.report_shared,
            AuditAction::ReportUnshared => &words.report_unshared,
            AuditAction::SharingChanged => &words.sharing_changed,
            AuditAction::FindingAssigned => &words.finding_assigned,
            AuditAction::AssignmentChanged => &words.assignment_changed,
            AuditAction::AssignmentRemoved => &words.assignment_removed,
            AuditAction::AssignmentReopened => &words.assignment_reopened,
            AuditAction::CriterionAssessed => &words.criterion_assessed,
            AuditAction::BrandChanged => &words.brand_changed,
            AuditAction::SecondFactorEnabled => &words.second_factor_enabled,
            AuditAction::SecondFactorDisabled => &words.second_factor_disabled,
            AuditAction::RecoveryCodeUsed => &words.recovery_code_used,
            AuditAction::RecoveryCodesReplaced => &words.recovery_codes_replaced,
            AuditAction::SecondFactorDemandChanged => &words.second_factor_demand_changed,
            AuditAction::TeamCreated => &words.team_created,
            AuditAction::PlanChanged => &words.plan_changed,
            AuditAction::TeamBlocked => &words.team_blocked,
            AuditAction::TeamUnblocked => &words.team_unblocked,
            _ => "–",
        }
    }

    fn address(&self, record: &AuditRecord) -> String {
        record.address.map(|address| address.to_string()).unwrap_or_default()
    }
}

/// The entries on one page.
const PER_PAGE: u32 = PageRequest::MAX_PER_PAGE / 2;

pub(super) async fn of_team(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let records = team.people()?.audit(team.context.page(PER_PAGE)).await?;
    page(&AuditPage::new(team.shell(Section::Audit, &team.words().audit.title), records))
}

pub(super) async fn of_installation(context: &Context<'_>) -> Result<Response, PageError> {
    let records = context.parts.people.audit(context.page(PER_PAGE)).await?;
    page(&AuditPage::new(context.shell(Section::Operator, &context.words().audit.title), records))
}
