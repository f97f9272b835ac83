//! An accessibility check service to embed: sites are checked in a browser, reports tell people what to fix first.
//! This crate is the whole service but for three parts that you choose: what keeps data, what opens pages, and what asks.
//!
//! ```
//! use a11ycheck_core::{
//!     Service,
//!     domain::{PlanCode, SiteInput},
//!     engine::Worker,
//!     paging::PageInput,
//!     scanner::CancellationToken,
//!     service::{ReportRequest, TeamInput},
//! };
//! # use a11ycheck_core::{Error, Scanner, Store};
//! # async fn example(store: impl Store, scanner: impl Scanner) -> Result<(), Box<dyn std::error::Error>> {
//!
//! let service = Service::builder(store, scanner).build().await?;
//! let team = service.create_team(TeamInput::new("My team", PlanCode::new("pro"))).await?;
//! let actor = service.act_for(team.id).await?;
//! let site = service.add_site(&actor, SiteInput::new("https://example.com")).await?;
//!
//! Worker::new(service.clone()).step(&CancellationToken::new()).await?;
//!
//! let checks = service.scans(&actor, site.id, &PageInput::default()).await?;
//! let report = service.report(&actor, &ReportRequest { scan: checks.items[0].id, lang: None }).await?;
//! println!("{} problems", report.total);
//! # Ok(())
//! # }
//! ```
//!
//! A [`Service`] is the use-cases over a [`Store`] and a [`Scanner`]. Each use-case takes an [`Actor`](service::Actor)
//! first: the proof of whose data it may touch. [`Engine`] runs the loops that check, schedule, deliver webhooks and purge beside
//! any frontend.
//!
//! # Map
//! - [`domain`]: what things are and what may happen to them; pure
//! - [`service`]: the use-cases; [`engine`]: the loops
//! - [`store`], [`scanner`], [`clock`], [`net::Resolver`]: the traits that other parts implement
//! - [`net`]: which addresses may be reached
//! - [`sealing`]: how secrets are kept
//! - [`catalog`], [`report`], [`export`], [`view`], [`message`], [`timestamp`]: what people and clients read; [`links`]: the addresses in it;
//!   [`paging`]: pages of lists
//! - [`webhook`]: how events are sent; [`a11ycheck_signing`] has how they are signed, for receivers, too
//!
//! # Features
//! | feature | gives | default |
//! |---|---|---|
//! | `delivery` | [`webhook`]'s `HttpSender`, which delivers webhooks over HTTP(S) | yes |
//! | `dns` | [`net`]'s `DnsResolver`, which looks names up in a way that can be cancelled | yes |
//! | `pdf` | [`export`]'s PDF files, and the check of logos for them | yes |
//! | `testing` | [`scanner`]'s `ScriptedScanner`, [`clock`]'s `ManualClock`, [`net`]'s `StaticResolver` and `NameServer` | no |
//!
//! Nothing here changes the process that it runs in. One thing reaches further than this crate: `delivery` turns on reqwest's feature
//! `rustls-no-provider`, for the whole program. A program that builds reqwest clients of its own turns on reqwest's `rustls` besides, or
//! installs a rustls provider for its process; without either, reqwest panics when such a client is built.
//!
//! # What it is not
//! No HTTP server, no database, no browser: `a11ycheck-server-warp`, `a11ycheck-storage-memory` and
//! `a11ycheck-scanner-chromium` are those, and you can write others. No user management: who belongs to a team is the
//! host application's affair.

pub mod catalog;
pub mod clock;
pub mod domain;
pub mod engine;
pub mod error;
pub mod export;
pub mod id;
pub mod links;
pub mod locale;
pub mod message;
pub mod net;
pub mod paging;
pub mod report;
pub mod scanner;
pub mod sealing;
pub mod service;
pub mod store;
pub mod timestamp;
pub mod view;
pub mod webhook;

pub use self::{engine::Engine, error::Error, scanner::Scanner, service::Service, store::Store};
