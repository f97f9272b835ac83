//! An accessibility check service to embed in your own program: sites are checked page by page in a real browser, and reports tell
//! people what to fix first, in seven languages. It needs no web framework, and the database is your choice.
//!
//! ```sh
//! cargo add a11ycheck --features chromium,memory
//! cargo add tokio --features macros,rt-multi-thread
//! ```
//!
//! ```no_run
//! # #[cfg(all(feature = "chromium", feature = "memory"))]
//! use a11ycheck::{ChromiumScanner, Engine, Locale, MemoryStore, PlanCode, Service, SiteInput, TeamInput};
//!
//! # #[cfg(not(all(feature = "chromium", feature = "memory")))]
//! # fn main() {}
//! # #[cfg(all(feature = "chromium", feature = "memory"))]
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let service = Service::builder(MemoryStore::new()).build().await?;
//!     let engine = Engine::builder(&service).with_scanner(ChromiumScanner::find()?).start();
//!
//!     // The key is your own name of a customer: however often it is asked for, there is one team.
//!     let input = TeamInput::new("Customer 4711", PlanCode::AGENCY);
//!     let team = service.operator().team_for("customer-4711".parse()?, input).await?;
//!     let added = team.add_site(SiteInput::parse("https://example.com")?).await?;
//!     let scan = added.first_scan.ok_or("a check is queued with its site")?;
//!
//!     let scan = team.wait(scan).await?.into_result()?;
//!     for group in team.report(scan.id, Locale::De).await?.groups {
//!         println!("{}. {}: {} elements", group.rank, group.title, group.count);
//!     }
//!     engine.stop().await;
//!     Ok(())
//! }
//! ```
//!
//! Two programs are not part of any crate: the browser (Debian's `chromium-headless-shell`, for example) and axe-core (`npm install
//! axe-core`). `ChromiumScanner::find` looks in the usual places; `ChromiumConfig` names others.
//!
//! # In a test
//! With the feature `testing`, among the dev-dependencies, the same service runs without a browser and without waiting. What the scanner
//! finds is written down, and time passes when the test says so.
//!
#![cfg_attr(feature = "testing", doc = "```")]
#![cfg_attr(not(feature = "testing"), doc = "```ignore")]
//! use a11ycheck::{
//!     Locale, PlanCode, SiteInput, TeamInput,
//!     domain::Impact,
//!     testing::{Script, TestWorld},
//! };
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let page = Script::page("https://shop.example.com/");
//! let script = page.with_problem("image-alt", Impact::Critical, "#logo", "<img id=logo src=logo.png>");
//! let world = TestWorld::new([script]).await;
//! world.publish("shop.example.com");
//!
//! let input = TeamInput::new("Customer 4711", PlanCode::AGENCY);
//! let team = world.service().operator().team_for("customer-4711".parse()?, input).await?;
//! let added = team.add_site(SiteInput::parse("shop.example.com")?).await?;
//! world.run_until_idle().await;
//!
//! let scan = team.wait(added.first_scan.ok_or("a check is queued with its site")?).await?.into_result()?;
//! let report = team.report(scan.id, Locale::De).await?;
//! assert_eq!(report.total, 1);
//! assert_eq!(report.groups[0].title, "Bilder ohne Textalternative");
//! # Ok(())
//! # }
//! ```
//!
//! # The central types
//! A [`Service`] is the use-cases over a [`Store`]. A [`TeamHandle`] does what a team may do: it adds sites, waits for checks, reads
//! [reports](Report) and makes files ([`Artifact`]). An [`Operator`] does what the operator of the installation may do. An [`Engine`]
//! takes a [`Scanner`] and runs the loops that check, schedule, deliver webhooks and purge. Every refusal is an [`Error`], whose
//! [`kind`](Error::kind) chooses a reaction and whose text names the field and the reason.
//!
//! # Map
//! The modules are those of `a11ycheck-core`; the names that most programs need are at the root as well.
//!
//! | what you want | where it is |
//! |---|---|
//! | to add sites, wait, read reports, make files | [`TeamHandle`], in [`service`] |
//! | to make teams and to change plans | [`Operator`], in [`service`] |
//! | to follow what happens to the checks of all teams | [`Service::events`] |
//! | to know what a report says | [`report`], and [`export`] for files |
//! | to open a private network, or to close names | [`AddressPolicy`], in [`net`] |
//! | to keep secrets of webhook endpoints | [`sealing`] |
//! | a store or a scanner of your own | the traits in [`store`] and [`scanner`], and the feature `testing` for their suites |
//! | a type of another crate that is in a signature | [`reexport`] |
//!
//! # Features
//! | feature | gives | default |
//! |---|---|---|
//! | `chromium` | `ChromiumScanner`, `ChromiumConfig` and the module `chromium`: axe-core in a real Chromium | no |
//! | `dns` | [`net`]'s `DnsResolver`, which looks names up in a way that can be cancelled | yes |
//! | `memory` | `MemoryStore`, which does not survive the process | no |
//! | `object-store` | `PostgresConfig::with_files`: the files of `postgres` in an object store or a folder | no |
//! | `pdf` | the files [`Artifact::ReportPdf`], [`Artifact::FullReportPdf`] and [`Artifact::AcrPdf`]; without it they are refused as not built in | no |
//! | `postgres` | `PostgresStore`, `PostgresConfig` and the module `postgres`: a durable store for any number of machines | no |
//! | `sqlite` | `SqliteStore`, `SqliteConfig` and the module `sqlite`: a durable store in one file, for one machine; takes a C compiler | no |
//! | `testing` | the module `testing`: a service that a test controls, and the suites for stores and scanners | no |
//! | `webhooks` | `EventsV1`, which writes events, [`webhook`]'s `HttpSender`, which delivers them, and the module `signing` | no |
//!
//! Nothing here changes the process that it runs in; [`a11ycheck_core`] says what reaches further, with `webhooks`.
//!
//! # What it is not
//! No HTTP server: `a11ycheck-server-warp` is one. No user management: who belongs to a team is your program's affair. And no audit:
//! every result is that of an automated check.

#[cfg(feature = "testing")]
pub mod testing;

#[cfg(feature = "webhooks")]
pub use a11ycheck_api_v1::EventsV1;
#[doc(no_inline)]
pub use a11ycheck_core::{
    Engine, Error, Scanner, Service, Store, catalog, clock, domain,
    domain::{ExternalKey, Failure, PlanCode, Scan, Site, SiteInput},
    engine,
    engine::EngineConfig,
    error,
    error::ErrorKind,
    export,
    export::Artifact,
    id,
    id::{ScanId, SiteId, TeamId},
    locale,
    locale::Locale,
    net,
    net::AddressPolicy,
    paging, reexport,
    reexport::CancellationToken,
    report,
    report::Report,
    scanner, sealing, service,
    service::{Ended, EventsFrom, MadeFile, Operator, Progress, ScanEvent, TeamHandle, TeamInput},
    store, timestamp, webhook,
};
#[cfg(feature = "chromium")]
pub use a11ycheck_scanner_chromium::{self as chromium, ChromiumConfig, ChromiumScanner};
#[cfg(feature = "webhooks")]
pub use a11ycheck_signing as signing;
#[cfg(feature = "memory")]
pub use a11ycheck_storage_memory::MemoryStore;
#[cfg(feature = "postgres")]
pub use a11ycheck_storage_postgres::{self as postgres, PostgresConfig, PostgresStore};
#[cfg(feature = "sqlite")]
pub use a11ycheck_storage_sqlite::{self as sqlite, SqliteConfig, SqliteStore};
