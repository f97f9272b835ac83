//! The deliveries to an endpoint, and deliveries on request: for operators and hosts.

use chrono::{DateTime, Utc};

use super::TeamHandle;
use crate::{
    domain::{Attempt, Delivery, FieldErrors, Problem},
    error::Error,
    id::{DeliveryId, EndpointId},
    paging::{Page, PageRequest},
    store::{DeliveryFilter, Resent, SendError},
    webhook,
};

impl TeamHandle {
    /// Sends a test event to one endpoint, whatever events it listens to.
    ///
    /// # Errors
    /// Returns [`Error::NoEventWriter`], [`Error::NotFound`], those of [every call](TeamHandle#errors), and [`Error::Invalid`] while the
    /// endpoint is switched off.
    pub async fn ping_endpoint(&self, endpoint: EndpointId) -> Result<Delivery, Error> {
        self.may_manage().await?;
        let service = self.service();
        let writer = service.parts().event_writer.as_deref().ok_or(Error::NoEventWriter)?;
        let event = webhook::test_event(writer, service.store().now().await?);
        service.store().send_event(self.id(), endpoint, event).await.map_err(refused)
    }

    /// Sends the event of an ended delivery again: as a new delivery of the same event, with an id of its own.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`], those of [every call](TeamHandle#errors), and [`Error::Invalid`] while the delivery is
    /// pending, and while its endpoint is switched off.
    pub async fn resend_delivery(&self, delivery: DeliveryId) -> Result<Delivery, Error> {
        self.may_manage().await?;
        self.service().store().resend_delivery(self.id(), delivery).await.map_err(refused)
    }

    /// The most events that [`resend_failed`](Self::resend_failed) sends again at once.
    pub const MOST_RESENT: u32 = 1_000;

    /// Sends again each event whose newest delivery to an endpoint was created at `since` or later and was not received, whether it
    /// failed or was dropped while the endpoint was off: [`MOST_RESENT`](Self::MOST_RESENT) at most, the oldest first. What was sent
    /// again already is not sent once more until that has failed, too.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`], those of [every call](TeamHandle#errors), and [`Error::Invalid`] while the endpoint is switched
    /// off.
    pub async fn resend_failed(&self, endpoint: EndpointId, since: DateTime<Utc>) -> Result<Resent, Error> {
        self.may_manage().await?;
        let resent = self.service().store().resend_failed(self.id(), endpoint, since, Self::MOST_RESENT);
        resent.await.map_err(refused)
    }

    /// Returns the deliveries of the last 30 days to all endpoints, and those that are pending, that the filter chooses, newest first.
    ///
    /// # Errors
    /// Returns those of [every call](TeamHandle#errors).
    pub async fn delivery_log(&self, filter: &DeliveryFilter, page: PageRequest) -> Result<Page<Delivery>, Error> {
        self.may_manage().await?;
        Ok(self.service().store().delivery_log(self.id(), filter, page).await?)
    }

    /// Returns the deliveries to an endpoint of the last 30 days, and those that are pending, newest first.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`], and those of [every call](TeamHandle#errors).
    pub async fn deliveries(&self, endpoint: EndpointId, page: PageRequest) -> Result<Page<Delivery>, Error> {
        self.may_manage().await?;
        self.service().store().deliveries(self.id(), endpoint, page).await?.ok_or(Error::NotFound)
    }

    /// Returns a delivery of the last 30 days, or one that is pending.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`], and those of [every call](TeamHandle#errors).
    pub async fn delivery(&self, delivery: DeliveryId) -> Result<Delivery, Error> {
        self.may_manage().await?;
        self.service().store().delivery(self.id(), delivery).await?.ok_or(Error::NotFound)
    }

    /// Returns the attempts of a delivery that have ended, in order.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`], and those of [every call](TeamHandle#errors).
    pub async fn delivery_attempts(&self, delivery: DeliveryId) -> Result<Vec<Attempt>, Error> {
        self.may_manage().await?;
        self.service().store().attempts(self.id(), delivery).await?.ok_or(Error::NotFound)
    }
}

fn refused(error: SendError) -> Error {
    match error {
        SendError::NotFound => Error::NotFound,
        SendError::SwitchedOff => Error::Invalid(FieldErrors::one("endpoint", Problem::EndpointOff)),
        SendError::Pending => Error::Invalid(FieldErrors::one("delivery", Problem::DeliveryPending)),
        SendError::Store(error) => error.into(),
    }
}
