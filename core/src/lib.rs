//! An accessibility check service to embed: sites are checked page by page, and reports tell people what to fix first, in
//! seven languages. This crate is the whole service except for three parts that you choose: the store that keeps the data,
//! the scanner that opens the pages, and the frontend that takes requests. The crate `a11ycheck` has this one together with
//! the parts that exist; begin there unless you write parts of your own.
//!
//! ```
//! use a11ycheck_core::{
//!     Engine, Service,
//!     domain::{Impact, PlanCode, SiteInput},
//!     engine::Step,
//!     locale::Locale,
//!     reexport::CancellationToken,
//!     scanner::{Script, ScriptedScanner},
//!     service::TeamInput,
//! };
//! use a11ycheck_storage_memory::MemoryStore;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // What this scanner finds is written down: a logo without a text alternative.
//! let page = Script::page("https://93.184.215.14/");
//! let script = page.with_problem("image-alt", Impact::Critical, "#logo", "<img id=logo src=logo.png>");
//!
//! let service = Service::builder(MemoryStore::new()).build().await?;
//! let engine = Engine::builder(&service).with_scanner(ScriptedScanner::new([script])).build();
//!
//! let input = TeamInput::new("Customer 4711", PlanCode::PRO);
//! let team = service.operator().team_for("customer-4711".parse()?, input).await?;
//! let added = team.add_site(SiteInput::parse("https://93.184.215.14")?).await?;
//! let scan = added.first_scan.ok_or("a check is queued with its site")?;
//!
//! // One step of one worker. A program that checks for real calls `start` in place of `build`, and waits.
//! let worker = engine.worker().ok_or("the engine has a scanner")?;
//! assert_eq!(worker.step(&CancellationToken::new()).await?, Step::Worked);
//!
//! let scan = team.wait(scan).await?.into_result()?;
//! let report = team.report(scan.id, Locale::De).await?;
//! assert_eq!((report.total, report.totals.critical), (1, 1));
//! assert_eq!(report.groups[0].title, "Bilder ohne Textalternative");
//! # Ok(())
//! # }
//! ```
//!
//! # The central types
//! A [`Service`] is the use-cases over a [`Store`]. The methods of a [`TeamHandle`](service::TeamHandle) are what a team
//! may do: add sites, wait for checks, read [reports](report::Report) and make files ([`Artifact`](export::Artifact)). The
//! methods of an [`Operator`](service::Operator) are what the operator of the installation may do. An [`Engine`] takes a
//! [`Scanner`] and runs the loops that check, schedule, deliver webhooks and purge, beside any frontend and in as many
//! processes as share the store. Every refusal is an [`Error`]; its [`kind`](Error::kind) is enough to choose a reaction,
//! and its text names the field and the reason.
//!
//! # What may grow
//! Later releases add fields. What core makes for you to read is `#[non_exhaustive]`: patterns of it end with `..`. The
//! same is true of what you write ([`TeamInput`](service::TeamInput), [`EngineConfig`](engine::EngineConfig),
//! [`Plan`](domain::Plan)) and of what scanners make ([`Findings`](domain::Findings),
//! [`ScanOutput`](scanner::ScanOutput)). These are made by `new` or `default` and changed by methods `with_…` or field by
//! field, and a field that is added has a default. What a [store](store#what-may-grow) makes and keeps is open on purpose.
//!
//! # Map
//! | module | content |
//! |---|---|
//! | [`service`] | the use-cases: handles of teams and of the operator, waiting, events, files |
//! | [`engine`] | the loops, and their status |
//! | [`domain`] | the things that there are and the changes that they permit; pure: no I/O, no clock |
//! | [`id`], [`locale`], [`paging`], [`timestamp`] | ids, languages of reports, pages of lists, instants as text |
//! | [`store`], [`scanner`], [`clock`], [`net::Resolver`], [`webhook`] | the traits that other parts implement |
//! | [`net`] | the addresses that may be reached, and the look-up of names |
//! | [`sealing`] | secrets at rest |
//! | [`ranking`] | what a check found in the order in which it should be fixed, and the extract of it that pages are made from |
//! | [`catalog`], [`report`], [`export`] | everything for people to read: texts about rules, reports, files |
//! | [`error`](mod@error) | the refusals of use-cases |
//! | [`reexport`] | the types of other crates in signatures of this one |
//!
//! # Features
//! | feature | gives | default |
//! |---|---|---|
//! | `delivery` | [`webhook`]'s `HttpSender`, which delivers webhooks over HTTP(S) | yes |
//! | `dns` | [`net`]'s `DnsResolver`, which looks names up in a way that can be cancelled | yes |
//! | `pdf` | [`export`]'s PDF files, and the check of logos for them | yes |
//! | `schema` | JSON schemas: of files (`Artifact::schema` in [`export`]), of ids, of words | no |
//! | `testing` | [`scanner`]'s `ScriptedScanner`, [`clock`]'s `ManualClock`, [`net`]'s `StaticResolver` and `NameServer`, parts of [`report`]s | no |
//!
//! Nothing here changes the process that it runs in. One thing reaches beyond this crate: `delivery` turns on reqwest's
//! feature `rustls-no-provider` for the whole program. A program that builds reqwest clients of its own also turns on
//! reqwest's `rustls`, or installs a rustls provider for its process; without either, reqwest panics when such a client is
//! built.
//!
//! # What it is not
//! It is not an HTTP server, a database or a browser: `a11ycheck-server-warp`, `a11ycheck-storage-postgres` and
//! `a11ycheck-scanner-chromium` are, and you can write others. It does not manage users: the host application decides who
//! belongs to a team. And it is not an audit: every result is that of an automated check.

pub mod catalog;
pub mod clock;
pub mod domain;
pub mod engine;
pub mod error;
pub mod export;
pub mod id;
pub mod locale;
pub mod mail;
pub mod net;
pub mod paging;
pub mod ranking;
pub mod report;
pub mod scanner;
pub mod sealing;
pub mod service;
pub mod store;
pub mod timestamp;
pub mod webhook;

pub use self::{engine::Engine, error::Error, scanner::Scanner, service::Service, store::Store};

/// The types of other crates in the signatures of this crate. A program that names them from here need not depend on those
/// crates, and has the versions that fit.
///
/// ```
/// use a11ycheck_core::{net::AddressPolicy, reexport::ipnet::IpNet};
///
/// let closed: IpNet = "198.51.100.0/24".parse()?;
/// let policy = AddressPolicy::builder().block_network(closed).build();
/// assert!(policy.judge_ip("198.51.100.1".parse()?, 443).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub mod reexport {
    /// The attribute for implementations of [`Scanner`](crate::Scanner), of a store's traits, of
    /// [`Resolver`](crate::net::Resolver) and of [`WebhookSender`](crate::webhook::WebhookSender).
    pub use async_trait::async_trait;
    /// The bytes of files and of webhooks: [`MadeFile::bytes`](crate::service::MadeFile::bytes).
    pub use bytes::Bytes;
    /// Instants and spans of time.
    pub use chrono::{self, DateTime, TimeDelta, Utc};
    /// Files and events as streams: [`MadeFile::into_stream`](crate::service::MadeFile::into_stream),
    /// [`ScanEvents`](crate::service::ScanEvents).
    pub use futures_util::Stream;
    /// The networks of an [`AddressPolicy`](crate::net::AddressPolicy).
    pub use ipnet;
    /// JSON schemas of [`Artifact::schema`](crate::export::Artifact::schema).
    #[cfg(feature = "schema")]
    pub use schemars;
    /// The runtime, whose sockets and instants appear in [`UpstreamProxy`](crate::net::UpstreamProxy).
    pub use tokio;
    /// The token that cancels a scan.
    pub use tokio_util::sync::CancellationToken;
    /// The addresses of pages and receivers.
    pub use url::{self, Host, Url};
    /// Secrets in memory, which are overwritten when they are dropped.
    pub use zeroize::Zeroizing;
}
