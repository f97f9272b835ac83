//! Pictures of what fails: the choice of elements (`choice`), the shots that show them (`plan`) and that the browser takes
//! (`capture`), the parts cut out of them (`cut`), and the bounds for one check (`pictured`, `album`, `room`). The contents of
//! fields (`fields`), which may be about people, are painted over before anything is cut out.

mod album;
mod capture;
mod choice;
mod cut;
mod fields;
mod pictured;
mod plan;
mod room;

pub(crate) use self::{
    album::{Album, Of},
    capture::{PagePicture, Screen, Shown, Taken, Wanted, pictures},
    choice::{Candidate, Template},
    cut::{Capture, Picture, cut_out},
    pictured::{Pictured, ToPicture},
    plan::{ElementNumber, MAX_SHOTS, Rect},
    room::Room,
};
