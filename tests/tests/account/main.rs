//! The account web interface: who gets in, who may do what, and whether its pages are free of barriers.

mod access;
mod first_person;
mod hostile;
mod invitations;
mod own_check;
mod sign_in;
mod sites;
mod visitor;
