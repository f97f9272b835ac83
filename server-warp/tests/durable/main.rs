//! What a server that keeps its data in a folder keeps, of real processes on real files: over restarts, beside `admin`, on a
//! full disk, and through a backup.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod backup;
mod demo;
mod doctor;
mod folder;
mod full_disk;
mod person;
mod restart;
mod support;
