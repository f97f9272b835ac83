//! Addresses whose visit does something, or is meant for one person.
//!
//! A `GET` should be safe (RFC 9110 §9.2.1), but on real sites a link logs out, unsubscribes, deletes, confirms or
//! fills a cart, and one that was sent by mail works once. Nobody asked a check to do that. Such links and entries of
//! sitemaps are not followed, and neither is a redirect to an address that does something.
//!
//! An address is judged by its words alone. A folder or file that consists of an action, and at most of its object,
//! acts: `/account/delete`, `/newsletter/unsubscribe-now`. With any other word it is about the action:
//! `/how-to-delete-an-account`. The same is true in a folder of articles if its name has several words:
//! `/help/delete-account`. A page that is missed because of a wrong guess costs one page of the report; the opposite
//! may cost an order.

mod judge;
mod part;
#[cfg(test)]
mod tests;
mod words;

pub(super) use self::judge::{WithoutActions, is_action};
