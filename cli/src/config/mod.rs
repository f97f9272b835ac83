//! The configuration file `a11ycheck.toml`.

mod file;
mod find;
mod keys;

pub use self::{
    file::{AcceptEntry, ConfigFile, GateSection, HeaderValue, PageGateSection},
    find::{ConfigError, Configuration, project_root},
};
