//! What is checked on this machine: folders that the program serves itself, and servers that it starts.

mod command;
mod files;

pub use self::{
    command::{StartError, StartedServer},
    files::{FolderServer, ServeError, ServedFolder},
};
