//! What the tests across the parts share: a running server with clients of every kind, and sites to check.
//!
//! [`TestApp`] is the service behind real HTTP on loopback, over one of the stores, with a clock that a test moves and a
//! scanner that it scripts; its clients check every answer against the OpenAPI document. [`TestTeam`] is a team of a
//! service, for what has no path in the API or needs no server. [`TestSite`] is a web site on loopback, and
//! [`Receiver`] one that webhooks are sent to. [`Browser`] opens pages of our own as a person does, and [`Faults`]
//! lists the barriers that a person meets there. [`NodeSettings`] start a node of the crash tests: a process of its
//! own, which may be killed. [`release`] restores the database that an earlier release left.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests stop at what they did not expect")]

mod app;
mod backend;
mod browser;
mod client;
mod database;
mod faults;
mod file;
mod http;
mod log;
mod node;
mod openapi;
mod receiver;
pub mod release;
mod s3;
mod sealing;
mod site;
pub mod smtp;
mod team;
mod wait;

#[doc = include_str!("../../README.md")]
#[cfg(doctest)]
struct Readme;

pub use self::{
    app::TestApp,
    backend::{Backend, Memory, Postgres, Sqlite},
    browser::{Browser, Tab},
    client::{Answer, Client},
    database::database_url,
    faults::{Faults, PREFERENCES, Preferences},
    http::http,
    log::Log,
    node::{NodeSettings, QuickClock, SeededScanner},
    openapi::{OpenApi, Operation},
    receiver::{Received, Receiver, Reply},
    s3::S3,
    sealing::{SEALING_KEY, ring},
    site::{Page, TestSite},
    team::TestTeam,
    wait::wait_for,
};
