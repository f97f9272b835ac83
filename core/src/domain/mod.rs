//! The domain: the things that the service knows, and the rules for what may happen to them.
//!
//! It is pure: no `async`, no trait object, no I/O, no clock read. An instant is an argument, so every rule can be
//! tested at its limits, and a store can apply it inside its own transaction.

mod accepted;
mod assessment;
mod assignment;
mod attempt;
mod axe_check;
mod base_url;
mod batch;
mod bounded;
mod brand;
mod colour;
mod cover;
mod delivery;
mod diff;
mod draft_head;
mod endpoint;
mod event;
mod external_key;
mod failure;
mod failure_facts;
mod field_errors;
mod finding;
mod fingerprint;
mod history;
mod iso_duration;
mod judgement;
mod lease;
mod manual_checks;
mod masking;
mod memo;
mod opened_by;
mod page_address;
mod page_counts;
mod page_pattern;
mod people;
mod plan;
mod plan_catalog;
mod plan_difference;
mod plan_file;
mod platform;
mod rate_window;
mod rule;
mod scan;
mod scan_event;
mod scan_state;
mod schedule;
mod shared_setting;
mod site;
mod site_field;
mod site_input;
mod site_text;
mod site_url;
mod standard;
mod stored_word;
mod team;
mod token;
mod tool;
mod unknown_fields;
mod urgency;

pub use self::{
    accepted::{AcceptReason, Acceptance, Acceptances, AcceptedElement, AcceptedFinding, accepted_by},
    assessment::{
        Assessment, AssessmentChanges, AssessmentInput, AssessmentOutcome, AssessmentStep, CriterionNumber,
        NewAssessment, NotACriterionNumber,
    },
    assignment::{
        AssignedElements, Assignment, AssignmentInput, NewAssignment, WorkChange, WorkScope, WorkState, assigned_by,
        without_repeated_assignments,
    },
    attempt::{Attempt, AttemptFailure, AttemptReport, AttemptResult, Excerpt},
    axe_check::{AxeCheck, CheckNeed, CheckOutcome, UndecidedReason},
    base_url::BaseUrl,
    batch::{Batch, BatchContent, Undoing, Undone, undo_assignments, undo_judgements},
    brand::{BrandName, BrandNameError, Logo, LogoFormat, TeamBrand},
    colour::{Colour, ParseColourError},
    cover::{Cover, CoverKind},
    delivery::{Delivery, DeliveryRefusal, DeliveryState, DeliveryStatus, next_attempt_at},
    diff::{DiffSummary, FixedRule, PreviousScan, compare, fixed_elements},
    draft_head::{DraftHead, HeadText, HeadTextError},
    endpoint::{
        EndpointDetails, EndpointSecret, EndpointSecrets, EndpointStatus, NewEndpoint, OpenSecretError, WebhookEndpoint,
    },
    event::{EventKind, NewEvent, UnknownEvent},
    external_key::{ExternalKey, ExternalKeyError},
    failure::{Failure, FailureCause, FailureCode},
    failure_facts::FailureFacts,
    field_errors::{FieldErrors, Problem},
    finding::{Area, Finding, Findings, PageOutcome, ScreenshotId, ScreenshotRef, Totals, UncheckedFrame},
    fingerprint::{Fingerprint, InvalidKey, Key},
    history::{ShortenedHistory, is_held, purge_hold},
    iso_duration::{IsoDuration, ParseDurationError},
    judgement::{
        Decision, Judged, JudgedElement, Judgement, JudgementInput, JudgementState, NewJudgement, Reach, Subject,
        Traces, Verdict, is_stale, judged, judged_by, without_repeated,
    },
    lease::{FencingToken, Lease},
    manual_checks::ManualChecks,
    masking::{MASK, file_address_reveals_people, masked_html, masked_selector, masked_text, reveals_people},
    memo::{Course, Depth, Memo},
    opened_by::OpenedBy,
    page_address::{page_address, page_key, view_of, without_query},
    page_counts::PageCounts,
    page_pattern::{InvalidPagePattern, PagePattern},
    people::{
        AuditAction, AuditRecord, CodePeriod, EmailAddress, EmailAddressError, Invitation, LastOwner, Mail, MailKind,
        MailOutcome, MailRefusal, MailState, MailSubject, MailSubjectError, Member, Membership, NewAuditRecord,
        NewInvitation, NewMail, NewPerson, NewSecondFactor, NewSession, NewSharedReport, Notices, OpenFactorError,
        PasswordHash, Person, PersonKind, PlainSecret, RecoveryCode, Role, SecondFactor, SecretHash, Session,
        SharedReport, Sharing, SiteNotice, TotpSecret, TwoSteps, keeps_an_owner,
    },
    plan::{CheckFrequency, Features, Limits, Plan, PlanCode},
    plan_catalog::{PlanCatalog, PlanCatalogError},
    plan_difference::PlanDifference,
    platform::{PlatformKey, leading_platform},
    rate_window::{RateCounters, RateDecision, RateLimits, RateWindow, RequestClass},
    rule::{Impact, RuleFacts, RuleId, RuleKind},
    scan::{Outcome, Scan, ScanKind, is_in_history},
    scan_event::{ScanEventEntry, ScanEventKind},
    scan_state::{RetryBy, ScanState, ScanStatus, TransitionError, TransitionRefusal},
    schedule::{brought_forward, next_scan_at},
    shared_setting::{InvalidSetting, SharedSetting, UnknownSetting},
    site::{NewSite, Site, SiteDetails},
    site_field::{SiteField, SiteFieldInput, SiteFieldKind, SiteFieldRefusal, SiteValueChanges, SiteValues},
    site_input::SiteInput,
    site_text::{SiteName, SiteTextError, Tag},
    site_url::{SiteUrl, SiteUrlError},
    standard::{Clause, Clauses, CriteriaByLevel, Standard, StandardId, StandardSource},
    stored_word::{NotAWord, UnknownWord},
    team::{NewTeam, PlanStatus, Standing, Subscription, Team},
    token::{Ability, ApiToken, NewToken, PlainToken, TokenHash},
    tool::Tool,
    unknown_fields::UnknownFields,
    urgency::Urgency,
};
pub(crate) use self::{bounded::bounded, finding::masked_items, fingerprint::first_attributes};
