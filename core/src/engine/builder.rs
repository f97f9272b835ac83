//! The builder of an engine.

use std::{sync::Arc, time::Duration};

use super::{Engine, EngineParts, EngineStatus};
use crate::{
    mail::{MailSender, MailWriter},
    scanner::Scanner,
    service::Service,
    webhook::WebhookSender,
};

/// The loops that run, and the number of workers.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct EngineConfig {
    /// The number of checks that this process works on at once. With 0, no worker runs.
    pub workers: usize,
    /// True if this process queues checks that fall due.
    pub scheduler: bool,
    /// True if this process delivers webhooks.
    pub webhooks: bool,
    /// True if this process purges checks that have left the history, and deliveries that have left the log.
    pub retention: bool,
    /// The longest time for which an idle loop waits before it looks again. Where the store
    /// [hints](crate::store::HintStore) at a newly queued check or a new event, it looks at once.
    pub poll: Duration,
}

impl EngineConfig {
    /// Sets the number of checks that this process works on at once.
    #[must_use]
    pub const fn with_workers(self, workers: usize) -> Self {
        Self { workers, ..self }
    }

    /// Leaves the queuing of checks that fall due to other processes.
    #[must_use]
    pub const fn without_scheduler(self) -> Self {
        Self { scheduler: false, ..self }
    }

    /// Leaves the delivery of webhooks to other processes.
    #[must_use]
    pub const fn without_webhooks(self) -> Self {
        Self { webhooks: false, ..self }
    }

    /// Leaves the purge to other processes.
    #[must_use]
    pub const fn without_retention(self) -> Self {
        Self { retention: false, ..self }
    }

    /// Sets the longest time for which an idle loop waits before it looks again.
    #[must_use]
    pub const fn with_poll(self, poll: Duration) -> Self {
        Self { poll, ..self }
    }
}

impl Default for EngineConfig {
    /// Returns a configuration that runs everything, two checks at a time.
    fn default() -> Self {
        Self { workers: 2, scheduler: true, webhooks: true, retention: true, poll: Duration::from_secs(1) }
    }
}

/// Collects the parts of an [`Engine`]: the scanner, the sender of webhooks, and the loops to run.
///
/// ```
/// # use a11ycheck_core::{Scanner, Service};
/// use a11ycheck_core::{Engine, engine::EngineConfig};
///
/// # async fn example(service: Service, scanner: impl Scanner) {
/// let builder = Engine::builder(&service).with_scanner(scanner);
/// let status = builder.status().clone();
/// let engine = builder.with_config(EngineConfig::default().with_workers(4)).start();
/// assert!(status.ready().is_ok());
/// engine.stop().await;
/// # }
/// ```
pub struct EngineBuilder {
    service: Service,
    scanner: Option<Arc<dyn Scanner>>,
    sender: Option<Arc<dyn WebhookSender>>,
    mail: Option<(Arc<dyn MailWriter>, Arc<dyn MailSender>)>,
    config: EngineConfig,
    status: EngineStatus,
}

impl EngineBuilder {
    pub(super) fn new(service: Service) -> Self {
        let status = EngineStatus::default();
        Self { service, scanner: None, sender: None, mail: None, config: EngineConfig::default(), status }
    }

    /// Sets the scanner, which opens pages. Give it the service's [policy](Service::policy). Without a scanner no worker
    /// runs, and checks wait for another process; see [`start`](Self::start).
    #[must_use]
    pub fn with_scanner(self, scanner: impl Scanner) -> Self {
        Self { scanner: Some(Arc::new(scanner)), ..self }
    }

    /// Sets the sender, which makes the attempts of webhook deliveries. Default: `HttpSender`, with the service's policy,
    /// resolver, proxy and authorities; without the feature `delivery` there is none, and deliveries wait.
    #[must_use]
    pub fn with_sender(self, sender: impl WebhookSender + 'static) -> Self {
        Self { sender: Some(Arc::new(sender)), ..self }
    }

    /// Sets what writes and what sends mail to people; it takes a service [that keeps it](crate::service::ServiceBuilder::with_mail). Mail is
    /// sent where webhooks are delivered. Default: none; mail waits for another process.
    #[must_use]
    pub fn with_mail(self, writer: impl MailWriter, sender: impl MailSender) -> Self {
        Self { mail: Some((Arc::new(writer), Arc::new(sender))), ..self }
    }

    /// Sets the loops that [`start`](Self::start) runs. Default: all of them, with two workers.
    #[must_use]
    pub fn with_config(self, config: EngineConfig) -> Self {
        Self { config, ..self }
    }

    /// Returns the status that the engine will show, for what is up before the engine is started: a readiness probe, for example.
    pub const fn status(&self) -> &EngineStatus {
        &self.status
    }

    /// Returns the parts without running them, for tests and for hosts that make each step themselves. The
    /// [configuration](Self::with_config) applies only to [`start`](Self::start).
    pub fn build(self) -> EngineParts {
        let sender = self.sender.or_else(|| default_sender(&self.service));
        EngineParts::new(self.service, self.scanner, sender, self.mail, self.status)
    }

    /// Starts the loops on the current tokio runtime.
    ///
    /// If the configuration asks for workers and there is no scanner, no worker runs: a warning is logged, and the
    /// [status](Self::status) is not ready, with [`EngineFault::NoScanner`](super::EngineFault::NoScanner). A process that
    /// is to check nothing asks for 0 workers.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn start(self) -> Engine {
        let config = self.config;
        Engine::run(&self.build(), config)
    }
}

#[cfg(feature = "delivery")]
fn default_sender(service: &Service) -> Option<Arc<dyn WebhookSender>> {
    use crate::webhook::HttpSender;

    let parts = service.parts();
    let sender = HttpSender::new(parts.policy.clone(), Arc::clone(&parts.resolver));
    let sender = sender.with_root_certificates(parts.ca_certificates.iter().cloned());
    Some(Arc::new(parts.proxy.iter().cloned().fold(sender, HttpSender::with_upstream_proxy)))
}

#[cfg(not(feature = "delivery"))]
fn default_sender(_: &Service) -> Option<Arc<dyn WebhookSender>> {
    None
}

impl std::fmt::Debug for EngineBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EngineBuilder")
            .field("service", &self.service)
            .field("sender", &self.sender)
            .field("config", &self.config)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}
