//! The loops of an engine, one by one.

use std::sync::Arc;

use super::{Dispatcher, EngineStatus, Mailer, Retention, Scheduler, Sealing, Worker};
use crate::{
    id::NodeId,
    mail::{MailSender, MailWriter},
    scanner::Scanner,
    service::Service,
    webhook::WebhookSender,
};

/// The parts of an engine that does not run: its loops, each with a single step as a public function.
/// [`EngineBuilder::build`](super::EngineBuilder::build) makes them.
///
/// Loops from the same parts belong to one node, and share what is known about the scanner. Clones belong to the same node, too.
#[derive(Clone)]
pub struct EngineParts {
    service: Service,
    scanner: Option<Arc<dyn Scanner>>,
    sender: Option<Arc<dyn WebhookSender>>,
    mail: Option<(Arc<dyn MailWriter>, Arc<dyn MailSender>)>,
    /// The node of all workers of this engine: other nodes see them as one.
    node: NodeId,
    status: EngineStatus,
}

impl EngineParts {
    pub(super) fn new(
        service: Service,
        scanner: Option<Arc<dyn Scanner>>,
        sender: Option<Arc<dyn WebhookSender>>,
        mail: Option<(Arc<dyn MailWriter>, Arc<dyn MailSender>)>,
        status: EngineStatus,
    ) -> Self {
        Self { service, scanner, sender, mail, node: NodeId::generate(), status }
    }

    /// Returns a new worker, with an id of its own; `None` if there is no [scanner](super::EngineBuilder::with_scanner).
    pub fn worker(&self) -> Option<Worker> {
        let scanner = Arc::clone(self.scanner.as_ref()?);
        Some(Worker::new(self.service.clone(), scanner, self.status.clone(), self.node.worker()))
    }

    /// Returns a scheduler.
    pub fn scheduler(&self) -> Scheduler {
        Scheduler::new(self.service.clone())
    }

    /// Returns a new dispatcher, with an id of its own; `None` if there is no [sender](super::EngineBuilder::with_sender),
    /// or if the service has no [keys](crate::service::ServiceBuilder::with_sealing) to the secrets with which deliveries
    /// are signed.
    pub fn dispatcher(&self) -> Option<Dispatcher> {
        Dispatcher::new(self.service.clone(), Arc::clone(self.sender.as_ref()?))
    }

    /// Returns a new mailer, with an id of its own; `None` if there is nothing [to send with](super::EngineBuilder::with_mail), or if the
    /// service keeps no mail.
    pub fn mailer(&self) -> Option<Mailer> {
        let (writer, sender) = self.mail.as_ref()?;
        Mailer::new(self.service.clone(), Arc::clone(writer), Arc::clone(sender))
    }

    /// Returns the loop that purges.
    pub fn retention(&self) -> Retention {
        Retention::new(self.service.clone())
    }

    /// Returns the loop that seals; `None` if the service has no [keys](crate::service::ServiceBuilder::with_sealing).
    pub fn sealing(&self) -> Option<Sealing> {
        Sealing::new(self.service.clone())
    }

    /// Returns the status of the loops.
    pub const fn status(&self) -> &EngineStatus {
        &self.status
    }
}

impl std::fmt::Debug for EngineParts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EngineParts")
            .field("service", &self.service)
            .field("sender", &self.sender)
            .field("node", &self.node)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}
