//! The audit log: who did what, when, and from where.

use std::net::IpAddr;

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    domain::{UnknownWord, stored_word::stored_words},
    id::{AuditId, PersonId, TeamId},
};

/// The kind of an action that the audit log records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AuditAction {
    /// A person was created.
    PersonCreated,
    /// A person signed in.
    SignedIn,
    /// A person signed out in one browser or in several.
    SignedOut,
    /// A person set another password.
    PasswordChanged,
    /// Somebody was invited into a team.
    MemberInvited,
    /// An invitation was withdrawn.
    InvitationWithdrawn,
    /// Somebody joined a team: by an invitation, or because an operator said so.
    MemberJoined,
    /// A member got another role.
    RoleChanged,
    /// A member left, or was taken out of a team.
    MemberRemoved,
    /// A site was added.
    SiteAdded,
    /// The details of a site were changed.
    SiteChanged,
    /// A site was deleted with its checks.
    SiteDeleted,
    /// A list of sites was imported: sites were added or changed.
    SitesImported,
    /// A field was added to the sites of a team.
    SiteFieldAdded,
    /// A field of the sites of a team was changed.
    SiteFieldChanged,
    /// A field of the sites of a team was deleted with its values.
    SiteFieldDeleted,
    /// A check was started by hand.
    CheckStarted,
    /// An API token was created.
    TokenCreated,
    /// An API token was deleted.
    TokenDeleted,
    /// A webhook endpoint was created.
    EndpointCreated,
    /// A webhook endpoint was changed or got another secret.
    EndpointChanged,
    /// A webhook endpoint was switched on or off.
    EndpointSwitched,
    /// A webhook endpoint was deleted.
    EndpointDeleted,
    /// A test event was sent, or an event once more.
    EventSent,
    /// The brand was changed.
    BrandChanged,
    /// An element that a check found was judged.
    ElementJudged,
    /// A judgement was taken back.
    JudgementUndone,
    /// A person switched the second factor of the sign-in on.
    SecondFactorEnabled,
    /// The second factor was switched off, by the person or by an operator.
    SecondFactorDisabled,
    /// A person signed in with a recovery code in place of the second factor.
    RecoveryCodeUsed,
    /// A person got new recovery codes in place of the former ones.
    RecoveryCodesReplaced,
    /// A team began to demand a second factor of its members, or ceased to.
    SecondFactorDemandChanged,
    /// A link to a report was made.
    ReportShared,
    /// A link to a report was withdrawn.
    ReportUnshared,
    /// Sharing of reports was switched on or off.
    SharingChanged,
    /// Something that a check found was assigned.
    FindingAssigned,
    /// An assignment was changed: who does it, how far it is, or until when.
    AssignmentChanged,
    /// An assignment was removed.
    AssignmentRemoved,
    /// Something that was done was found again by a check.
    AssignmentReopened,
    /// The assessments of success criteria of a site were changed or taken back.
    CriterionAssessed,
    /// A team was created.
    TeamCreated,
    /// A team got another plan.
    PlanChanged,
    /// A team was blocked.
    TeamBlocked,
    /// A team was unblocked.
    TeamUnblocked,
    /// Something of a later release, which is shown by its word.
    Unknown(UnknownWord),
}

stored_words!(AuditAction {
    PersonCreated = "person.created",
    SignedIn = "session.begun",
    SignedOut = "session.ended",
    PasswordChanged = "password.changed",
    MemberInvited = "member.invited",
    InvitationWithdrawn = "invitation.withdrawn",
    MemberJoined = "member.joined",
    RoleChanged = "member.role_changed",
    MemberRemoved = "member.removed",
    SiteAdded = "site.added",
    SiteChanged = "site.changed",
    SiteDeleted = "site.deleted",
    SitesImported = "site.imported",
    SiteFieldAdded = "site_field.added",
    SiteFieldChanged = "site_field.changed",
    SiteFieldDeleted = "site_field.deleted",
    CheckStarted = "check.started",
    TokenCreated = "token.created",
    TokenDeleted = "token.deleted",
    EndpointCreated = "endpoint.created",
    EndpointChanged = "endpoint.changed",
    EndpointSwitched = "endpoint.switched",
    EndpointDeleted = "endpoint.deleted",
    EventSent = "event.sent",
    BrandChanged = "brand.changed",
    ElementJudged = "element.judged",
    JudgementUndone = "element.judgement_undone",
    SecondFactorEnabled = "second_factor.enabled",
    SecondFactorDisabled = "second_factor.disabled",
    RecoveryCodeUsed = "recovery_code.used",
    RecoveryCodesReplaced = "recovery_codes.replaced",
    SecondFactorDemandChanged = "second_factor.demand_changed",
    ReportShared = "report.shared",
    ReportUnshared = "report.unshared",
    SharingChanged = "report.sharing_changed",
    FindingAssigned = "finding.assigned",
    AssignmentChanged = "finding.assignment_changed",
    AssignmentRemoved = "finding.assignment_removed",
    AssignmentReopened = "finding.reopened",
    CriterionAssessed = "criterion.assessed",
    TeamCreated = "team.created",
    PlanChanged = "plan.changed",
    TeamBlocked = "team.blocked",
    TeamUnblocked = "team.unblocked",
});

/// An entry of the audit log. It is never changed, and outlives the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRecord {
    /// The id of the entry.
    pub id: AuditId,
    /// The team that it concerns; `None` if it concerns a person or the installation.
    pub team: Option<TeamId>,
    /// The person who did it; `None` if it was a program.
    pub person: Option<PersonId>,
    /// The name of who did it: the person's address at that time, or the name of the program.
    pub actor: String,
    /// The kind of the action.
    pub action: AuditAction,
    /// The object of the action, in words; may be empty.
    pub subject: String,
    /// The address from which it was done, if that is known.
    pub address: Option<IpAddr>,
    /// The instant at which it was done.
    pub at: DateTime<Utc>,
}

impl AuditRecord {
    /// The time for which entries are kept.
    pub const TERM: TimeDelta = TimeDelta::days(400);
    /// The most characters of a subject or an actor that are kept.
    pub const MAX_TEXT: usize = 300;
}

/// An entry to be added to the audit log: at the store's time, in the step that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAuditRecord {
    /// The id of the entry.
    pub id: AuditId,
    /// The team that it concerns.
    pub team: Option<TeamId>,
    /// The person who does it; `None` if it is a program.
    pub person: Option<PersonId>,
    /// The name of who does it: the person's address, or the name of the program.
    pub actor: String,
    /// The kind of the action.
    pub action: AuditAction,
    /// The object of the action, in words; may be empty.
    pub subject: String,
    /// The address from which it is done, if that is known.
    pub address: Option<IpAddr>,
}

impl NewAuditRecord {
    /// Returns the entry as it is kept.
    pub fn at(self, at: DateTime<Utc>) -> AuditRecord {
        let Self { id, team, person, actor, action, subject, address } = self;
        AuditRecord { id, team, person, actor, action, subject, address, at }
    }
}
