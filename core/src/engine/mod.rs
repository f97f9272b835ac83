//! The loops that run beside any frontend: workers that check, a scheduler that queues, a dispatcher that delivers
//! webhooks, a mailer that sends mail to people where a host gives it what it needs, and a loop that purges.
//!
//! [`Engine::builder`] takes what they need beside the [service](crate::Service): a [scanner](crate::Scanner), a
//! [sender of webhooks](crate::webhook::WebhookSender), and the choice of loops to run. [`EngineBuilder::start`] spawns
//! them; [`Engine::drain`] makes them begin nothing new; [`Engine::stop`] ends them in order: nothing new is begun, a
//! running check is handed back so that another worker can claim it at once, and a webhook that is being sent is completed,
//! which takes at most 10 s. Only then does it return. An [`Engine`] that is dropped stops where it is. [`EngineStatus`]
//! says whether they can do their work, even before the start.
//!
//! Each loop also has a single step as a public function, which tests call to run the service without waiting:
//! [`EngineBuilder::build`] returns the loops one by one.

mod builder;
mod dispatcher;
mod gate;
mod mailer;
mod pace;
mod parts;
mod recording;
mod retention;
mod running;
mod scheduler;
mod sealing;
mod status;
mod tasks;
mod worker;

pub use self::{
    builder::{EngineBuilder, EngineConfig},
    dispatcher::Dispatcher,
    mailer::Mailer,
    pace::Step,
    parts::EngineParts,
    retention::Retention,
    running::Engine,
    scheduler::Scheduler,
    sealing::Sealing,
    status::{EngineFault, EngineStatus},
    worker::Worker,
};
