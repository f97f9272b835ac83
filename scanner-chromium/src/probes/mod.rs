#![doc = include_str!("../../probes.md")]

// Probes: checks of our own beside axe-core's (decision 0058, `docs/probes.md`).
//
// They run in the page once axe-core has, in the same isolated world, and leave what they found beside its outcome, so that
// `axe/collect.js` takes both to the same findings. Each family of probes is a script (`words.js`, `names.js`, `links.js` …).
// `kit.js` is what they share, `run.js` runs them (`run`), and `language.js` reads the texts whose language is
// then detected outside of the page (`language`) and judged by `judge.js`. `facts` are the texts that findings name. Last come the
// probes that move the page (`moving`): `walk.js` with the Tab key (`unshown.js` proves that nothing shows the focus, `obscured.js` finds what a bar covers), `spacing.js` with wider spacing, `narrow.js` in a narrow window (`cuts.js` is
// what both share), and `changing.js`, which waits. They are told what the page listens for (`heard`). The contrasts that axe-core could not compute are measured in
// pictures (`painted`, `glyphs`). `clicks` adds elements on which scripts listen for clicks to those that `forms.js`
// has found, and `handlers` with `listened.js` those whose handlers `handlers.js` judges; `wrapped` reads those that jQuery calls. `keys` reads the source of handlers of keys. `pictures` reads the frames of animated pictures (`film`,
// `flashes`). `sound` looks for players that a script has started: `players.js` outside of the document, `sound.js` in
// it. `across.js` reads the blocks that a page may share with other pages, which are compared when all pages are done
// (`crawl::across`).

mod clicks;
mod facts;
mod film;
mod flashes;
mod glyphs;
mod handlers;
mod heard;
mod keys;
mod language;
mod moving;
mod painted;
mod pictures;
mod run;
mod sound;
mod wrapped;

pub(crate) use self::{
    clicks::run_clicks,
    facts::{facts, rule_facts},
    heard::Heard,
    keys::run_keys,
    moving::run_moving,
    painted::{is_contrast_open, run_painted},
    pictures::run_pictures,
    run::{Conditions, run},
    sound::{Media, run_sound, sounds_outside},
};

/// The version of the probes, which results name beside that of axe-core.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
