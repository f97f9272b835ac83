//! What was delivered to an endpoint, and what is delivered on request: for operators and embedders.

use super::Service;
use crate::{
    domain::{Attempt, Delivery, FieldErrors, Problem},
    error::Error,
    id::{DeliveryId, EndpointId, TeamId},
    paging::{Page, PageInput},
    store::SendError,
    webhook::payload,
};

impl Service {
    /// Sends a test event to one endpoint, whatever it listens to.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Invalid`] while the endpoint is switched off.
    pub async fn ping_endpoint(&self, team: TeamId, endpoint: EndpointId) -> Result<Delivery, Error> {
        let event = payload::ping(self.store().now().await?);
        self.store().send_event(team, endpoint, event).await.map_err(refused)
    }

    /// Sends the event of a delivery that has ended once more: as a new delivery, with an id of its own, of the same event.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Invalid`] while the delivery is pending, and while its endpoint is switched off.
    pub async fn resend_delivery(&self, team: TeamId, delivery: DeliveryId) -> Result<Delivery, Error> {
        self.store().resend_delivery(team, delivery).await.map_err(refused)
    }

    /// The deliveries to an endpoint of the last 30 days, and those that are pending, newest first; 20 to a page unless it
    /// is asked for another number.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`] where the page is no number.
    pub async fn deliveries(
        &self,
        team: TeamId,
        endpoint: EndpointId,
        page: &PageInput,
    ) -> Result<Page<Delivery>, Error> {
        const PER_PAGE: u32 = 20;
        let page = page.parse(PER_PAGE).map_err(Error::Invalid)?;
        self.store().deliveries(team, endpoint, page).await?.ok_or(Error::NotFound)
    }

    /// A delivery of the last 30 days, or one that is pending.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn delivery(&self, team: TeamId, delivery: DeliveryId) -> Result<Delivery, Error> {
        self.store().delivery(team, delivery).await?.ok_or(Error::NotFound)
    }

    /// The attempts of a delivery that have ended, in order.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn delivery_attempts(&self, team: TeamId, delivery: DeliveryId) -> Result<Vec<Attempt>, Error> {
        self.store().attempts(team, delivery).await?.ok_or(Error::NotFound)
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
