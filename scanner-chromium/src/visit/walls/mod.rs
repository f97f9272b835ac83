//! Pages in place of a site's own: bot checks, parked domains, maintenance, requests for consent without content, and
//! pages that say with a status of success that there is nothing.
//!
//! A page is never judged by a word: it takes a mark that nothing else leaves (a header, a script, a frame of a product
//! that is known to do so) on a page that shows hardly anything else; or a sentence that such pages say together with a
//! second, independent sign. If nothing is certain, the page is the site's.

mod judge;
mod marks;
mod not_found;
mod phrases;
mod sight;

pub(crate) use self::{
    judge::{Head, Wall, challenger, judge, may_be_maintenance},
    not_found::{is_same_page, says_not_found},
    sight::{Sight, look},
};
