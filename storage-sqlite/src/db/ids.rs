//! Ids and instants as columns hold them.

use std::fmt;

use a11ycheck_core::{
    id::{
        AssignmentId, AuditId, BatchId, DeliveryId, EndpointId, EventId, InvitationId, JudgementId, MailId, PersonId,
        ScanId, SessionId, ShareId, SiteFieldId, SiteId, TeamId, TokenId, WorkerId,
    },
    sealing::KeyId,
};
use chrono::{DateTime, Utc};
use sqlx::{
    Decode, Encode, Sqlite, Type,
    encode::IsNull,
    error::BoxDynError,
    sqlite::{SqliteArgumentsBuffer, SqliteTypeInfo, SqliteValueRef},
};

/// An id as a parameter: columns hold its text. It wraps the id because neither sqlx's trait nor core's types belong to this crate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Id<T>(pub(crate) T);

/// Marks the ids of core that columns hold as their text.
pub(crate) trait Named: fmt::Display {}

macro_rules! named {
    ($($id:ty),*) => { $(impl Named for $id {})* };
}

named!(
    TeamId,
    SiteId,
    ScanId,
    TokenId,
    EventId,
    DeliveryId,
    EndpointId,
    WorkerId,
    KeyId,
    PersonId,
    SessionId,
    InvitationId,
    AuditId,
    JudgementId,
    MailId,
    ShareId,
    AssignmentId,
    BatchId,
    SiteFieldId
);

impl<T: Named> Named for &T {}

impl<T: Named> Encode<'_, Sqlite> for Id<T> {
    fn encode_by_ref(&self, arguments: &mut SqliteArgumentsBuffer) -> Result<IsNull, BoxDynError> {
        Encode::<Sqlite>::encode(self.0.to_string(), arguments)
    }
}

impl<T: Named> Type<Sqlite> for Id<T> {
    fn type_info() -> SqliteTypeInfo {
        <str as Type<Sqlite>>::type_info()
    }
}

/// An instant: columns hold its microseconds since 1970 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct At(pub(crate) DateTime<Utc>);

impl Encode<'_, Sqlite> for At {
    fn encode_by_ref(&self, arguments: &mut SqliteArgumentsBuffer) -> Result<IsNull, BoxDynError> {
        Encode::<Sqlite>::encode(self.0.timestamp_micros(), arguments)
    }
}

impl Decode<'_, Sqlite> for At {
    fn decode(value: SqliteValueRef<'_>) -> Result<Self, BoxDynError> {
        let micros = <i64 as Decode<'_, Sqlite>>::decode(value)?;
        Ok(Self(DateTime::from_timestamp_micros(micros).ok_or("an instant beyond what a calendar has")?))
    }
}

impl Type<Sqlite> for At {
    fn type_info() -> SqliteTypeInfo {
        <i64 as Type<Sqlite>>::type_info()
    }

    fn compatible(ty: &SqliteTypeInfo) -> bool {
        <i64 as Type<Sqlite>>::compatible(ty)
    }
}
