//! The records that are moved.

use chrono::{DateTime, Utc};

use super::PackedFindings;
use crate::{
    domain::{
        ApiToken, Assessment, Assignment, Attempt, AuditRecord, Delivery, EndpointSecrets, ExternalKey, Invitation,
        Judgement, ManualChecks, Membership, NewEvent, PasswordHash, Person, Plan, PlanCode, Scan, ScanEventEntry,
        SecondFactor, SecretHash, Site, SiteField, Standing, Subscription, TeamBrand, TokenHash, TwoSteps, Urgency,
        WebhookEndpoint,
    },
    id::{DeliveryId, PersonId, ScanId, SiteFieldId, SiteId, TeamId},
    scanner::Screenshot,
    store::{Document, DocumentKey},
};

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident($record:ty) = $word:literal, $plural:literal;)*) => {
        /// The kinds of records, in the order in which they are moved.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        impl Kind {
            /// All kinds, in their order.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// Returns the word for a record of this kind in files.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$kind => $word,)*
                }
            }

            /// Returns the words for several records of this kind, for people.
            pub const fn plural(self) -> &'static str {
                match self {
                    $(Self::$kind => $plural,)*
                }
            }
        }

        /// Something that a store keeps.
        // Not boxed: they are moved one by one, and never kept in large numbers.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Record {
            $($(#[$doc])* $kind($record),)*
        }

        impl Record {
            /// Returns the kind.
            pub const fn kind(&self) -> Kind {
                match self {
                    $(Self::$kind(_) => Kind::$kind,)*
                }
            }
        }

        /// Records of one kind.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Records {
            $($(#[$doc])* $kind(Vec<$record>),)*
        }

        impl Records {
            /// Returns the kind.
            pub const fn kind(&self) -> Kind {
                match self {
                    $(Self::$kind(_) => Kind::$kind,)*
                }
            }

            /// Adds a record.
            ///
            /// # Errors
            /// The record, if it is of another kind.
            #[expect(clippy::result_large_err, reason = "the record goes back to where it came from")]
            pub fn push(&mut self, record: Record) -> Result<(), Record> {
                match (self, record) {
                    $((Self::$kind(records), Record::$kind(record)) => records.push(record),)*
                    (_, record) => return Err(record),
                }
                Ok(())
            }
        }

        impl From<Record> for Records {
            fn from(record: Record) -> Self {
                match record {
                    $(Record::$kind(record) => Self::$kind(vec![record]),)*
                }
            }
        }
    };
}

kinds! {
    /// Plans, by code.
    Plan(Plan) = "plan", "plans";
    /// Teams, by id.
    Team(StoredTeam) = "team", "teams";
    /// Brands of teams that have set something, by team.
    Brand(StoredBrand) = "brand", "brands";
    /// Tokens, by id.
    Token(StoredToken) = "token", "tokens";
    /// Settings that all servers of a database share, by name.
    Setting(StoredSetting) = "setting", "settings";
    /// Persons, by id.
    Person(StoredPerson) = "person", "persons";
    /// Second factors of people, by person.
    SecondFactor(StoredSecondFactor) = "second_factor", "second factors";
    /// Memberships, by team and person.
    Member(Membership) = "member", "memberships";
    /// Invitations, by id.
    Invitation(StoredInvitation) = "invitation", "invitations";
    /// Entries of the audit log, by id.
    Audit(AuditRecord) = "audit", "entries of the audit log";
    /// Sites, by id.
    Site(StoredSite) = "site", "sites";
    /// Fields that teams have added to their sites, by id.
    SiteField(StoredSiteField) = "site_field", "fields of sites";
    /// Values of these fields, by site and field.
    SiteValue(StoredSiteValue) = "site_value", "values of fields of sites";
    /// Judgements of people about elements of sites, by id.
    Judgement(Judgement) = "judgement", "judgements";
    /// Assignments of findings to people who repair them, by id.
    Assignment(Assignment) = "assignment", "assignments";
    /// Assessments of success criteria of sites, by site and the text of the criterion.
    Assessment(Assessment) = "assessment", "assessments";
    /// Checks, by id.
    Scan(StoredScan) = "scan", "checks";
    /// Findings of completed checks, by check.
    Findings(StoredFindings) = "findings", "documents of findings";
    /// Pictures of completed checks: by check; those of elements, then that of the first page; by number.
    Picture(StoredPicture) = "picture", "pictures";
    /// Documents that were rendered from completed checks, by check, kind and language.
    Document(StoredDocument) = "document", "rendered documents";
    /// Endpoints, by id.
    Endpoint(StoredEndpoint) = "endpoint", "endpoints";
    /// Events that have a delivery, by id.
    Event(StoredEvent) = "event", "events";
    /// Deliveries, by id.
    Delivery(Delivery) = "delivery", "deliveries";
    /// Attempts that have ended, by delivery and number.
    Attempt(StoredAttempt) = "attempt", "attempts of deliveries";
    /// Entries of the log of occurrences, by position.
    Entry(StoredEntry) = "entry", "entries of the log of occurrences";
    /// The newest position of the log of occurrences: one record, also where it is 0.
    NewestPosition(u64) = "newest_position", "newest positions of the log of occurrences";
}

/// A team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTeam {
    /// The id of the team.
    pub id: TeamId,
    /// The name.
    pub name: String,
    /// The key under which a host program knows it.
    pub external_key: Option<ExternalKey>,
    /// The plan.
    pub plan: PlanCode,
    /// The terms on which it has the plan.
    pub subscription: Subscription,
    /// The standing, which says whether the operator blocked it.
    pub standing: Standing,
    /// The number of seats that it uses.
    pub seats_used: u32,
    /// The instant at which it was created.
    pub created_at: DateTime<Utc>,
    /// The instant before which nothing of it is purged, even if that has passed.
    pub held_until: Option<DateTime<Utc>>,
    /// The rule about second factors of its members.
    pub two_steps: TwoSteps,
}

/// The brand of a team, of which something is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBrand {
    /// The team.
    pub team: TeamId,
    /// The brand.
    pub brand: TeamBrand,
}

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredToken {
    /// The token.
    pub token: ApiToken,
    /// The hash under which it is looked up.
    pub hash: TokenHash,
}

/// A setting that all servers of a database share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSetting {
    /// The name, perhaps one that only a later release knows.
    pub name: String,
    /// The value.
    pub value: String,
}

/// A person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPerson {
    /// The person.
    pub person: Person,
    /// The hash of the password; `None` for who has none.
    pub password: Option<PasswordHash>,
}

/// The second factor of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSecondFactor {
    /// The person.
    pub person: PersonId,
    /// The second factor, whose secret is sealed.
    pub factor: SecondFactor,
}

/// An invitation, perhaps one that can't be accepted any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredInvitation {
    /// The invitation.
    pub invitation: Invitation,
    /// The hash under which it is looked up.
    pub hash: SecretHash,
}

/// A site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSite {
    /// The site.
    pub site: Site,
    /// The instants at which manual checks were started.
    pub manual: ManualChecks,
}

/// A field that a team has added to its sites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSiteField {
    /// The team.
    pub team: TeamId,
    /// The field.
    pub field: SiteField,
}

/// A value of a field that a team has added to its sites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSiteValue {
    /// The site.
    pub site: SiteId,
    /// The field.
    pub field: SiteFieldId,
    /// The team that owns both.
    pub team: TeamId,
    /// The value.
    pub value: String,
}

/// A check in any state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredScan {
    /// The check.
    pub scan: Scan,
    /// The urgency of a check that is queued or running; `None` once it has ended.
    pub urgency: Option<Urgency>,
}

/// The findings of a completed check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFindings {
    /// The check.
    pub scan: ScanId,
    /// The team that owns it.
    pub team: TeamId,
    /// The findings.
    pub findings: PackedFindings,
}

/// The subject of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PictureSubject {
    /// An element.
    Element,
    /// The first page.
    Screen,
}

impl PictureSubject {
    /// Returns the word that is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Element => "element",
            Self::Screen => "screen",
        }
    }
}

/// A picture of a completed check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPicture {
    /// The check.
    pub scan: ScanId,
    /// The team that owns it.
    pub team: TeamId,
    /// The subject.
    pub subject: PictureSubject,
    /// The picture.
    pub picture: Screenshot,
}

/// A document that was rendered from a completed check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDocument {
    /// The check.
    pub scan: ScanId,
    /// The team that owns it.
    pub team: TeamId,
    /// The kind and the language of the document.
    pub key: DocumentKey,
    /// The document.
    pub document: Document,
}

/// An endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEndpoint {
    /// The endpoint.
    pub endpoint: WebhookEndpoint,
    /// Its secrets, sealed.
    pub secrets: EndpointSecrets,
}

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// The team whose endpoints receive it.
    pub team: TeamId,
    /// The event.
    pub event: NewEvent,
}

/// An attempt of a delivery that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAttempt {
    /// The delivery.
    pub delivery: DeliveryId,
    /// The team that owns it.
    pub team: TeamId,
    /// The attempt.
    pub attempt: Attempt,
}

/// An entry of the log of occurrences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEntry {
    /// The entry, with its position.
    pub entry: ScanEventEntry,
    /// The instant of what it is about.
    pub at: DateTime<Utc>,
}
