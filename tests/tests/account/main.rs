//! The account web interface: who gets in, who may do what, and whether its pages are free of barriers.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests stop at what they did not expect")]

mod access;
mod brand_logo;
mod bulk;
mod criteria;
mod deliveries;
mod elements;
mod first_person;
mod hostile;
mod invitations;
mod judging;
mod language;
mod mail;
mod operator;
mod over_http;
mod own_check;
mod provider;
mod second_factor;
mod sharing;
mod sign_in;
mod site_fields;
mod site_list;
mod sites;
mod usable;
mod visitor;
mod work;
