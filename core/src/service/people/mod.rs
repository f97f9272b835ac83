//! The use-cases of people: who they are, where they are signed in, and to which teams they belong.
//!
//! They exist where the host gave a store for people ([`ServiceBuilder::with_people`](super::ServiceBuilder::with_people)). A host
//! that has people of its own has none of this, and [`Service::people`] is `None`.

mod actor;
mod assessments;
mod assignments;
mod batches;
mod first_person;
mod invitations;
mod judgements;
mod mail;
mod members;
mod persons;
mod second_factor;
mod sessions;
mod shares;
mod site_fields;

pub use self::{
    actor::Actor,
    invitations::{InviteInput, Invited},
    members::OfTeam,
    persons::PersonInput,
    second_factor::{BetweenKey, Proof, SecondFactorState},
    sessions::{Browser, Visit},
    shares::SharedView,
};
use super::Service;
use crate::store::{PeopleStore, PurgedPeople, StoreError};

/// The use-cases of people.
#[derive(Debug, Clone)]
pub struct People {
    service: Service,
}

impl Service {
    /// Returns the use-cases of people; `None` if the service was built without them.
    pub fn people(&self) -> Option<People> {
        self.parts.people.is_some().then(|| People { service: self.clone() })
    }
}

impl Service {
    /// Removes what is over of people, and returns the greatest number of one kind; 0 without people.
    pub(crate) async fn purge_people(&self, limit: u32) -> Result<u32, StoreError> {
        let Some(store) = &self.parts.people else { return Ok(0) };
        let PurgedPeople { sessions, invitations, audit } = store.purge_people(limit).await?;
        let most = sessions.max(invitations).max(audit);
        if most > 0 {
            tracing::debug!(sessions, invitations, audit, "Purged what is over of people");
        }
        Ok(most)
    }
}

impl People {
    fn store(&self) -> &dyn PeopleStore {
        // `Service::people` has looked.
        self.service.parts.people.as_deref().expect("the service was built with people")
    }
}
