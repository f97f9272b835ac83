#![doc = include_str!("../../probes.md")]

// Probes: checks of our own beside axe-core's (decision 0058, `docs/probes.md`).
//
// They run in the page once axe-core has, in the same isolated world, and leave what they found beside its outcome, so that
// `axe/collect.js` takes both to the same findings. Each family of probes is a script: `words.js`, `layout.js`,
// `structure.js`. `kit.js` is what they share, `run.js` runs them (`run`), and `language.js` reads the texts whose language is
// then detected outside of the page (`language`) and judged by `judge.js`. `facts` are the texts that findings name.

mod facts;
mod language;
mod run;

pub(crate) use self::run::run;
