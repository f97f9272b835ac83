//! The parts of the command `a11ycheck`, which checks the accessibility of web pages from a terminal and in CI.
//!
//! This is the library of a program: it has no promise of its own beyond what its tests and the binary need.
//!
//! | module | content |
//! |---|---|
//! | [`arguments`], [`config`], [`plan`] | what is asked for: the command line, the file, and what both decide |
//! | [`targets`], [`serve`] | which pages are checked, and the servers that run for that |
//! | [`reach`] | what a check may reach |
//! | [`check`], [`progress`] | the check itself |
//! | [`baseline`], [`gate`] | what is known, and what is permitted |
//! | [`catalogue`], [`init`], [`doctor`], [`licences`], [`from_pa11y`] | the other commands |
//! | [`program`], [`error`] | the process: exit codes, interrupts, messages |
//! | [`run`] | one finished run, as every format reads it and as the format `json` keeps it |
//! | [`output`] | the formats, and the files that they go to |
//!
//! # Features
//! | feature | gives | default |
//! |---|---|---|
//! | `pdf` | the output `pdf` | yes |
//! | `embed-axe` | axe-core within the program: that of `node_modules`, or the file that `A11YCHECK_EMBEDDED_AXE` names when it is built | no |
//! | `schema` | `Run::schema`, the JSON schema of the format `json` | no |

pub mod arguments;
pub mod baseline;
pub mod catalogue;
pub mod check;
pub mod config;
pub mod doctor;
pub mod error;
pub mod from_pa11y;
pub mod gate;
pub mod header;
pub mod init;
pub mod licences;
pub mod output;
pub mod plan;
pub mod program;
pub mod progress;
pub mod reach;
pub mod run;
pub mod serve;
pub mod targets;
