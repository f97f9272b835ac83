//! Ids as parameters of statements.

use std::{fmt, io::Write as _};

use a11ycheck_core::{
    id::{
        AssignmentId, AuditId, BatchId, DeliveryId, EndpointId, EventId, InvitationId, JudgementId, MailId, PersonId,
        ScanId, SessionId, ShareId, SiteFieldId, SiteId, TeamId, TokenId, WorkerId,
    },
    sealing::KeyId,
};
use sqlx::{
    Encode, Postgres, Type,
    encode::IsNull,
    error::BoxDynError,
    postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo},
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

impl<T: Named> Encode<'_, Postgres> for Id<T> {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        write!(&mut **buffer, "{}", self.0)?;
        Ok(IsNull::No)
    }
}

impl<T: Named> Type<Postgres> for Id<T> {
    fn type_info() -> PgTypeInfo {
        <str as Type<Postgres>>::type_info()
    }
}

impl<T: Named> PgHasArrayType for Id<T> {
    fn array_type_info() -> PgTypeInfo {
        <&str as PgHasArrayType>::array_type_info()
    }
}
