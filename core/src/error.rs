//! The refusals of use-cases: facts, no status codes, no wording for clients.

use crate::{
    domain::{Ability, FieldErrors, InvalidSetting, PlanCode, Problem, RateDecision},
    export::Artifact,
    store::{
        AcceptError, AddMemberError, AssignError, ChangeMemberError, CreatePersonError, DeletePlanError, DemandError,
        InviteError, JudgeError, RedeemError, ShareError, StoreError, UndoError, UnknownPlan,
    },
};

/// The reason why a use-case did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No token, or one that is unknown or deleted.
    #[error("no valid token")]
    Unauthenticated,
    /// The counters of the token or the address are used up.
    #[error("too many requests")]
    TooManyRequests(RateDecision),
    /// The operator blocked the team.
    #[error("the team is blocked")]
    TeamBlocked,
    /// The team's plan does not include the API.
    #[error("the plan does not include the API")]
    ApiNotIncluded,
    /// The token lacks this ability.
    #[error("the token lacks an ability")]
    MissingAbility(Ability),
    /// The caller may not manage the team: its tokens, endpoints and brand. Tokens never may.
    #[error("the caller may not manage the team")]
    MayNotManage,
    /// The caller may not judge findings. Tokens never may.
    #[error("the caller may not judge findings")]
    MayNotJudge,
    /// There is no such thing in this team, or it is older than the plan's history.
    #[error("not found")]
    NotFound,
    /// The site has no check that completed.
    #[error("the site has no completed check")]
    NoCompletedCheck,
    /// The team's plan does not include issue exports.
    #[error("the plan does not include issue exports")]
    ExportsNotIncluded,
    /// The team's plan does not include drafts of conformance reports.
    #[error("the plan does not include drafts of conformance reports")]
    AcrNotIncluded,
    /// This build was made without the feature that the file needs.
    #[error("this build can't make the file {0:?}")]
    NotBuiltIn(Artifact),
    /// The check is queued, running or failed.
    #[error("the check is not completed")]
    NotCompleted,
    /// The PDF is not available now: others are being rendered, or it could not be rendered.
    #[error("the PDF is not available now")]
    PdfUnavailable,
    /// The service has no key with which to seal a secret.
    #[error("the service has no sealing key, which it takes to keep a secret")]
    NoSealingKey,
    /// The service has no writer for the bodies of events.
    #[error("the service has no event writer, which it takes to make an event")]
    NoEventWriter,
    /// A field breaks a rule, or a limit of the plan.
    #[error(transparent)]
    Invalid(#[from] FieldErrors),
    /// The name of a new team has no visible character.
    #[error("the team's name is blank; give it one that people can read")]
    BlankName,
    /// There is no plan with this code.
    #[error("there is no plan `{0}`")]
    NoPlan(PlanCode),
    /// A shared setting has a value that is not permitted.
    #[error(transparent)]
    InvalidSetting(#[from] InvalidSetting),
    /// The plan was not deleted: this many teams are on it.
    #[error("{0} teams are on the plan")]
    PlanInUse(u64),
    /// Another person has the e-mail address.
    #[error("another person has this e-mail address")]
    AddressTaken,
    /// The person is a member of the team already.
    #[error("the person is a member of the team already")]
    AlreadyMember,
    /// All seats of the plan are used.
    #[error("all {0} seats of the plan are used")]
    NoFreeSeat(u32),
    /// The team would have no owner.
    #[error("the team would have no owner; make somebody else an owner first")]
    LastOwner,
    /// The team has as many invitations as it may.
    #[error("too many invitations wait; withdraw one first")]
    TooManyInvitations,
    /// The site has as many judgements as it may.
    #[error("the site has as many judgements as it may; take back those that match nothing any more")]
    TooManyJudgements,
    /// The site has [as many assignments](crate::domain::Assignment::MOST) as it may.
    #[error("the site has as many assignments as it may; remove some that are done")]
    TooManyAssignments,
    /// The team demands a second factor of its members, and the person has none.
    #[error("the team demands a second factor, and the person has none")]
    SecondFactorDemanded,
    /// A person who has no second factor can't demand one of others.
    #[error("the person has no second factor, and can't demand one of others")]
    NoSecondFactor,
    /// The team has [as many links](crate::domain::SharedReport::MOST) to reports as it may.
    #[error("the team has too many links to reports")]
    TooManyShares,
    /// The store could not do it now.
    #[error("the store is not available")]
    Unavailable(#[source] StoreError),
    /// The store holds something that it should not.
    #[error("stored data is not valid")]
    Corrupt(#[source] StoreError),
}

/// The kind of an [`Error`]: enough to choose a reaction, or the status of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The caller is not authenticated.
    Unauthenticated,
    /// The caller, its team or the team's plan may not do this.
    Forbidden,
    /// The named thing does not exist for this caller.
    NotFound,
    /// The named thing is not in a state in which this can be done.
    Conflict,
    /// The input breaks a rule; the same request is refused again.
    Invalid,
    /// A counter of requests is used up.
    TooMany,
    /// The same request may succeed in a moment.
    Unavailable,
    /// The installation has to be corrected by its operator.
    Internal,
}

impl Error {
    /// Returns the kind of the refusal.
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::Unauthenticated => ErrorKind::Unauthenticated,
            Self::TooManyRequests(_) => ErrorKind::TooMany,
            Self::TeamBlocked
            | Self::ApiNotIncluded
            | Self::MissingAbility(_)
            | Self::MayNotManage
            | Self::MayNotJudge
            | Self::SecondFactorDemanded
            | Self::ExportsNotIncluded
            | Self::AcrNotIncluded => ErrorKind::Forbidden,
            Self::NotFound | Self::NoCompletedCheck | Self::NoPlan(_) => ErrorKind::NotFound,
            Self::NotCompleted
            | Self::PlanInUse(_)
            | Self::AddressTaken
            | Self::AlreadyMember
            | Self::NoFreeSeat(_)
            | Self::LastOwner
            | Self::TooManyInvitations
            | Self::TooManyJudgements
            | Self::TooManyAssignments
            | Self::NoSecondFactor
            | Self::TooManyShares => ErrorKind::Conflict,
            Self::Invalid(_) | Self::BlankName | Self::InvalidSetting(_) | Self::NotBuiltIn(_) => ErrorKind::Invalid,
            Self::PdfUnavailable | Self::Unavailable(_) => ErrorKind::Unavailable,
            Self::NoSealingKey | Self::NoEventWriter | Self::Corrupt(_) => ErrorKind::Internal,
        }
    }

    /// Returns the fields that are wrong; `None` if the refusal is not about fields.
    pub const fn fields(&self) -> Option<&FieldErrors> {
        match self {
            Self::Invalid(fields) => Some(fields),
            _ => None,
        }
    }
}

impl From<UnknownPlan> for Error {
    fn from(error: UnknownPlan) -> Self {
        match error {
            UnknownPlan::Unknown(code) => Self::NoPlan(code),
            UnknownPlan::Store(error) => error.into(),
        }
    }
}

impl From<DeletePlanError> for Error {
    fn from(error: DeletePlanError) -> Self {
        match error {
            DeletePlanError::InUse(teams) => Self::PlanInUse(teams),
            DeletePlanError::Store(error) => error.into(),
        }
    }
}

impl From<RedeemError> for Error {
    fn from(error: RedeemError) -> Self {
        match error {
            RedeemError::Gone => Self::NotFound,
            RedeemError::Store(error) => error.into(),
        }
    }
}

impl From<CreatePersonError> for Error {
    fn from(error: CreatePersonError) -> Self {
        match error {
            CreatePersonError::AddressTaken => Self::AddressTaken,
            CreatePersonError::Store(error) => error.into(),
        }
    }
}

impl From<AddMemberError> for Error {
    fn from(error: AddMemberError) -> Self {
        match error {
            AddMemberError::NotFound => Self::NotFound,
            AddMemberError::AlreadyMember => Self::AlreadyMember,
            AddMemberError::NoFreeSeat(seats) => Self::NoFreeSeat(seats),
            AddMemberError::Store(error) => error.into(),
        }
    }
}

impl From<ChangeMemberError> for Error {
    fn from(error: ChangeMemberError) -> Self {
        match error {
            ChangeMemberError::NotFound => Self::NotFound,
            ChangeMemberError::LastOwner => Self::LastOwner,
            ChangeMemberError::Store(error) => error.into(),
        }
    }
}

impl From<InviteError> for Error {
    fn from(error: InviteError) -> Self {
        match error {
            InviteError::NotFound => Self::NotFound,
            InviteError::AlreadyMember => Self::AlreadyMember,
            InviteError::TooMany => Self::TooManyInvitations,
            InviteError::Store(error) => error.into(),
        }
    }
}

impl From<DemandError> for Error {
    fn from(error: DemandError) -> Self {
        match error {
            DemandError::NoSecondFactor => Self::NoSecondFactor,
            DemandError::Store(error) => error.into(),
        }
    }
}

impl From<ShareError> for Error {
    fn from(error: ShareError) -> Self {
        match error {
            // Whether a team shares its reports is its own affair.
            ShareError::NotFound | ShareError::Off => Self::NotFound,
            ShareError::TooMany => Self::TooManyShares,
            ShareError::Store(error) => error.into(),
        }
    }
}

impl From<JudgeError> for Error {
    fn from(error: JudgeError) -> Self {
        match error {
            JudgeError::NotFound => Self::NotFound,
            JudgeError::TooMany => Self::TooManyJudgements,
            JudgeError::Store(error) => error.into(),
        }
    }
}

impl From<UndoError> for Error {
    fn from(error: UndoError) -> Self {
        match error {
            UndoError::Gone => Self::NotFound,
            UndoError::Store(error) => error.into(),
        }
    }
}

impl From<AssignError> for Error {
    fn from(error: AssignError) -> Self {
        match error {
            AssignError::NotFound => Self::NotFound,
            AssignError::NotMember => Self::Invalid(FieldErrors::one("assignee", Problem::NotInList)),
            AssignError::TooMany => Self::TooManyAssignments,
            AssignError::Store(error) => error.into(),
        }
    }
}

impl From<AcceptError> for Error {
    /// Returns the same error for an invitation to another address as for one that does not exist, so that guessing
    /// secrets reveals nothing.
    fn from(error: AcceptError) -> Self {
        match error {
            AcceptError::Gone | AcceptError::OtherAddress => Self::NotFound,
            AcceptError::AddressTaken => Self::AddressTaken,
            AcceptError::AlreadyMember => Self::AlreadyMember,
            AcceptError::NoFreeSeat(seats) => Self::NoFreeSeat(seats),
            AcceptError::Store(error) => error.into(),
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            // A use-case that is called again generates another id.
            StoreError::Unavailable(_) | StoreError::Taken(_) => Self::Unavailable(error),
            StoreError::Corrupt { .. } => Self::Corrupt(error),
        }
    }
}
