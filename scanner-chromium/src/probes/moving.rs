//! The probes that move a page: they press keys, space its text and make its window narrow, after everything else, and put back what
//! they change.

use futures_util::future::try_join_all;
use serde::Deserialize;
use serde_json::json;
use tokio::time::{Duration, Instant};

use super::heard::Heard;
use crate::{
    axe::AxeError,
    browser::{Outcome, Tab, evaluate},
    cdp::{
        CdpError,
        commands::{CaptureViewport, DispatchKeyEvent, Evaluated, KeyEventType, SetDeviceMetrics},
    },
};

const WALK: &str = include_str!("walk.js");
/// A script that proves that nothing shows the focus, for the one above.
const UNSHOWN: &str = include_str!("unshown.js");
/// A script that finds elements with the focus that lie under a bar, for the same.
const OBSCURED: &str = include_str!("obscured.js");
const SPACING: &str = include_str!("spacing.js");
const NARROW: &str = include_str!("narrow.js");
/// A script about text that is cut off, for the two above.
const CUTS: &str = include_str!("cuts.js");
const CHANGING: &str = include_str!("changing.js");
/// A script about what may stop a movement, for other probes as well.
pub(super) const STOPS: &str = include_str!("stops.js");

/// The number of times that the Tab key is pressed on the way through a page.
const MAX_STOPS: u32 = 60;
/// The number of times that it is pressed at once, as long as the page just gives the focus to one element after the other. One by
/// one, each draws the page again, which takes most of the time.
const AT_ONCE: u32 = 10;
/// The number of elements whose focus is looked for with all that may show it: the page's rules and tree, and pictures.
const MAX_LOOKED_AT: u32 = 8;
/// The time limit for everything that moves a page.
const TIME: Duration = Duration::from_secs(10);
/// The time limit for watching text change after that.
const CHANGES_TIME: Duration = Duration::from_secs(20);
/// The milliseconds after a key in which a page may move the focus, or show it, where it does not simply go to the next element that
/// shows it at once.
const PAUSE: u32 = 15;
/// The milliseconds that a transition to how an element with the focus looks has to show something.
const TRANSITION: u32 = 120;
/// The milliseconds after a key in which a page may move the focus where it seems to be kept, or gone.
const LONG_PAUSE: u32 = 100;
/// The greatest number of elements among which the focus may go round and be called kept.
const MAX_CIRCLE: u32 = 10;

/// A key that is pressed.
#[derive(Debug, Clone, Copy)]
enum Key {
    Tab,
    BackTab,
    Escape,
}

/// The place to which a press of the Tab key has led.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(tag = "where", rename_all = "lowercase", rename_all_fields = "camelCase")]
enum Step {
    /// Out of the page's elements.
    Away,
    /// Something with stops of its own.
    In,
    /// An element that had not had the focus before.
    New {
        /// True if no style shows that it has the focus.
        is_plain: bool,
        /// True if the page has moved the focus by itself so far.
        is_slow: bool,
    },
    /// One that had it before.
    Again {
        /// True if it was the first, where the way begins again.
        is_first: bool,
    },
}

/// The place to which several presses at once have led.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Reached {
    /// To as many elements that had not had the focus before.
    New,
    /// Out of the page's elements, after some of them.
    Away,
    /// To its beginning again, after some of them.
    Round,
    /// Something with stops of its own, after some of them.
    In,
    /// Something else: each press has to be judged by itself.
    Odd,
}

/// The outcome of several presses at once.
#[derive(Debug, Clone, Copy, Deserialize)]
struct Steps {
    r#where: Reached,
    /// The number of elements that no style showed when they got the focus.
    doubtful: u32,
}

/// The elements whose focus was looked for with all that may show it.
#[derive(Debug, Default)]
struct LookedAt {
    count: u32,
    /// True if pictures were taken, for which all of the window is drawn.
    is_pictured: bool,
    /// The picture of the window without a focus that was taken last.
    bare: Option<String>,
}

impl LookedAt {
    fn is_full(&self) -> bool {
        self.count >= MAX_LOOKED_AT
    }
}

/// What happened when the focus was taken from an element.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Left {
    /// True if no element has the focus.
    is_left: bool,
    /// True if the element and what is around it have the styles that they had with the focus.
    is_same: bool,
    /// True if what shows the focus may be there without it: a transition is on its way, or a script has changed something and not changed it back.
    is_lasting: bool,
}

/// Runs the probes that move a page over one on which axe-core and the other probes have run, and adds what they find to theirs. What
/// goes wrong in the page costs these probes on this page, and nothing else.
///
/// # Errors
/// Those of the browser.
pub(crate) async fn run_moving(tab: &Tab, main_world: i64, heard: Heard, deadline: Instant) -> Result<(), AxeError> {
    let page = Page { tab, world: main_world, heard, deadline: deadline.min(Instant::now() + TIME) };
    let is_watched = in_time(page.watched().await)?;
    let moved = page.moved(is_watched, deadline).await;
    // The window gets its own size back in any case.
    tab.session().call(tab.own_size(), deadline).await?;
    Ok(moved?)
}

/// Takes the end of the time for an outcome in which nothing was found.
fn in_time<T: Default>(outcome: Result<T, CdpError>) -> Result<T, CdpError> {
    match outcome {
        Err(CdpError::TimedOut { .. }) => Ok(T::default()),
        outcome => outcome,
    }
}

/// A page that is moved.
#[derive(Debug, Clone, Copy)]
struct Page<'a> {
    tab: &'a Tab,
    world: i64,
    heard: Heard,
    deadline: Instant,
}

impl Page<'_> {
    /// Runs the probes one after the other, while as little of the page is drawn as they need.
    async fn moved(self, is_watched: bool, deadline: Instant) -> Result<(), CdpError> {
        in_time(self.tab.hide(self.deadline).await)?;
        in_time(self.walk().await)?;
        // Pictures of the focus may have shown it.
        in_time(self.tab.hide(self.deadline).await)?;
        let spaced = self.spaced().await;
        if spaced.is_err() {
            // The text gets its own spacing back in any case.
            evaluate(self.tab, self.world, "globalThis.spacing?.end()", Outcome::Value, deadline).await?;
        }
        in_time(spaced)?;
        in_time(self.narrow().await)?;
        if is_watched {
            self.tab.session().call(self.tab.own_size(), deadline).await?;
            let page = Page { deadline: deadline.min(Instant::now() + CHANGES_TIME), ..self };
            in_time(page.changes().await)?;
        }
        Ok(())
    }

    /// Notes what has changed of late, before anything moves the page; returns whether [`changes`](Self::changes) can look for more.
    async fn watched(self) -> Result<bool, CdpError> {
        let limits = json!({
            // Milliseconds: since the load, before which nothing is known; the same where a script in the page has a timer; within which a change is of late; between two that are not one; that text has to change for; in which a
            // first change must come; for which changes are watched, so that what changes just within `recent` is seen to do it for `span`, whenever it does it first. Then the
            // number of shadow trees and of slide shows that are watched, and of the latter: before the first look, between two looks, for which one stands still, and in which others
            // come into view.
            "least": 2_600,
            "timed": 5_600,
            "recent": 2_500,
            "apart": 100,
            "span": 5_000,
            "first": 2_600,
            "whole": 12_200,
            "trees": 200,
            "slides": 5,
            "settles": 1_000,
            "looks": 250,
            "stands": 5_500,
            "advances": 4_500,
        });
        Ok(self.evaluate(&format!("({CHANGING})({STOPS}, {limits})")).await?.exception().is_none())
    }

    /// Waits where text changes, while nothing moves the page: does it go on by itself?
    async fn changes(self) -> Result<(), CdpError> {
        let is_moving = self.evaluate("changing.isMoving()").await?.result.value == true;
        if is_moving {
            self.evaluate("changing.watch()").await?;
        }
        self.evaluate(&format!("changing.end({is_moving})")).await?;
        Ok(())
    }

    /// Goes through the page with the Tab key: is the focus seen, and can it leave where it is?
    async fn walk(self) -> Result<(), CdpError> {
        let limits = json!({ "stops": MAX_STOPS, "circle": MAX_CIRCLE, "end": LONG_PAUSE, "transition": TRANSITION });
        let begun = self.evaluate(&format!("({WALK})({UNSHOWN}, {OBSCURED}, {limits})")).await?;
        if begun.exception().is_some() {
            return Ok(());
        }
        let (mut pressed, mut inside) = (0, 0);
        let mut looked_at = LookedAt::default();
        let mut at_once = AT_ONCE;
        let (mut is_odd, mut is_doubtful) = (false, false);
        while pressed < MAX_STOPS {
            let keys = at_once.min(MAX_STOPS - pressed);
            pressed += keys;
            if keys > 1 {
                let Some(Steps { r#where, doubtful }) = self.steps(keys, &mut looked_at).await? else { break };
                is_odd |= matches!(r#where, Reached::Odd | Reached::Round);
                is_doubtful |= doubtful * 2 > keys;
                // Where many are looked at once more, this costs more than it spares.
                let is_one_by_one = is_odd || (is_doubtful && !looked_at.is_full());
                at_once = if r#where == Reached::New && !is_one_by_one { AT_ONCE } else { 1 };
                if r#where == Reached::Away || (r#where == Reached::Round && self.is_end().await?) {
                    break;
                }
                continue;
            }
            self.press(Key::Tab).await?;
            let stepped = self.evaluate(&format!("walk.step({PAUSE})")).await?;
            let Ok(step) = stepped.json::<Step>() else { break };
            inside = if step == Step::In { inside + 1 } else { 0 };
            match step {
                Step::New { is_plain, is_slow } => {
                    if is_plain {
                        self.look_at_focus(&mut looked_at).await?;
                    }
                    let is_one_by_one = is_slow || is_odd || (is_doubtful && !looked_at.is_full());
                    at_once = if is_one_by_one { 1 } else { AT_ONCE };
                }
                Step::In if inside > 20 => break,
                Step::In => {}
                Step::Away | Step::Again { is_first: true } => break,
                Step::Again { is_first: false } => {
                    self.is_kept().await?;
                    break;
                }
            }
        }
        // What it has found, and the focus, are for the end, however long this takes.
        let left = self.deadline.saturating_duration_since(Instant::now());
        in_time(Page { deadline: self.deadline - left / 2, ..self }.uncover().await)?;
        self.evaluate("walk.end()").await?;
        Ok(())
    }

    /// Leads the focus once more to each element that was covered when it had it.
    async fn uncover(self) -> Result<(), CdpError> {
        let hears_keys = self.heard.keys_down || self.heard.keys_up;
        let approach = format!("walk.approach({hears_keys})");
        while let Some(is_next) = self.evaluate(&approach).await?.result.value.as_bool() {
            if is_next {
                self.press(Key::Tab).await?;
            }
            self.evaluate("walk.judge()").await?;
        }
        Ok(())
    }

    /// Presses the key so many times at once, and looks once more at the elements that no style showed meanwhile; `None` after an exception.
    async fn steps(self, keys: u32, looked_at: &mut LookedAt) -> Result<Option<Steps>, CdpError> {
        try_join_all((0..keys).map(|_| self.press(Key::Tab))).await?;
        let stepped = self.evaluate(&format!("walk.steps({keys}, {PAUSE})")).await?;
        let Ok(steps) = stepped.json::<Steps>() else { return Ok(None) };
        for _ in 0..steps.doubtful {
            if looked_at.is_full() {
                break;
            }
            let is_doubtful = self.evaluate(&format!("walk.isDoubtful({PAUSE})")).await?.result.value == true;
            if is_doubtful {
                self.look_at_focus(looked_at).await?;
            }
        }
        if steps.doubtful > 0 {
            self.evaluate("walk.resume()").await?;
        }
        Ok(Some(steps))
    }

    /// Returns whether the page lets the focus go on from its beginning.
    async fn is_end(self) -> Result<bool, CdpError> {
        self.press(Key::Tab).await?;
        Ok(self.evaluate(&format!("walk.isEnd({PAUSE})")).await?.result.value != false)
    }

    /// Notes the element with the focus if nothing else shows it either, unless many have been looked at.
    async fn look_at_focus(self, looked_at: &mut LookedAt) -> Result<(), CdpError> {
        if looked_at.is_full() {
            return Ok(());
        }
        looked_at.count += 1;
        let is_proven = !self.heard.focus && self.evaluate("walk.isProven()").await?.result.value == true;
        if is_proven || !self.is_seen(looked_at).await? {
            self.evaluate("walk.unseen()").await?;
        }
        if looked_at.is_full() {
            self.evaluate("walk.enough()").await?;
            if looked_at.is_pictured {
                self.tab.hide(self.deadline).await?;
            }
        }
        Ok(())
    }

    /// Returns whether a pixel of the window differs between the element with the focus and without it. A page that moves by itself
    /// differs.
    async fn is_seen(self, looked_at: &mut LookedAt) -> Result<bool, CdpError> {
        if !looked_at.is_pictured {
            self.tab.show(self.deadline).await?;
            looked_at.is_pictured = true;
        }
        let with = self.picture().await?;
        let left = self.evaluate("walk.leave()").await?;
        let Ok(Left { is_left: true, is_same, is_lasting }) = left.json() else { return Ok(true) };
        // Where the page has not scrolled since another element was without the focus, it looks as it did then.
        let is_bare = is_same && looked_at.bare.as_ref() == Some(&with);
        let without = if is_bare || is_lasting { None } else { Some(self.picture().await?) };
        let is_back = self.evaluate("walk.back()").await?.result.value == true;
        let is_unseen = is_bare || without.as_ref() == Some(&with);
        looked_at.bare = if is_lasting { None } else { without.or(Some(with)) };
        Ok(is_lasting || !is_back || !is_unseen)
    }

    /// Tries to leave a few elements among which the focus goes round: onwards, with Escape and backwards. What the focus only passes is
    /// none of them, so each key has a longer time.
    async fn is_kept(self) -> Result<(), CdpError> {
        let mut circle = 0;
        for _ in 0..=MAX_CIRCLE {
            self.press(Key::Tab).await?;
            let goes_round = self.evaluate(&format!("walk.goesRound({LONG_PAUSE})")).await?;
            let Ok(elements) = goes_round.value::<usize>() else { return Ok(()) };
            circle = elements;
            if circle > 0 {
                break;
            }
        }
        if circle == 0 {
            return Ok(());
        }
        for key in [Key::Escape].into_iter().chain(std::iter::repeat_n(Key::BackTab, circle + 1)) {
            self.press(key).await?;
            if self.evaluate(&format!("walk.stays({LONG_PAUSE})")).await?.result.value != true {
                return Ok(());
            }
        }
        self.evaluate("walk.caught()").await?;
        Ok(())
    }

    /// Sets the text spacing of WCAG 1.4.12 for a moment, and looks for text that is clipped or overlaps.
    async fn spaced(self) -> Result<(), CdpError> {
        let limits = json!({
            // The greatest numbers of texts and of lines that are compared, of comparisons, and of pairs that overlap.
            "texts": 1_500,
            "lines": 4_000,
            "compared": 400_000,
            "pairs": 2_000,
            // The milliseconds that scripts of the page have to adapt it.
            "wait": 100,
        });
        let begun = self.evaluate(&format!("({SPACING})(globalThis.cuts = ({CUTS})(), {limits})")).await?;
        if begun.exception().is_none() {
            // At once, since what is between this and a narrow window is laid out once more.
            self.evaluate("spacing.look().finally(() => spacing.end())").await?;
        }
        Ok(())
    }

    /// Makes the window narrow, and looks for text that is clipped, and for text that can be read only by scrolling
    /// sideways.
    async fn narrow(self) -> Result<(), CdpError> {
        let begun = self.evaluate(&format!("({NARROW})(globalThis.cuts ??= ({CUTS})())")).await?;
        if begun.exception().is_some() {
            return Ok(());
        }
        for (width, height, look) in [(640, 512, "narrow.clipped()"), (320, 720, "narrow.reflow()")] {
            let narrow = SetDeviceMetrics { width, height, ..self.tab.own_size() };
            self.tab.session().call(narrow, self.deadline).await?;
            self.evaluate(look).await?;
        }
        self.tab.session().call(self.tab.own_size(), self.deadline).await?;
        self.evaluate("narrow.end()").await?;
        Ok(())
    }

    async fn press(self, key: Key) -> Result<(), CdpError> {
        let (key, windows_virtual_key_code, modifiers) = match key {
            Key::Tab => ("Tab", 9, 0),
            Key::BackTab => ("Tab", 9, 8),
            Key::Escape => ("Escape", 27, 0),
        };
        let event = |r#type| DispatchKeyEvent { r#type, key, code: key, windows_virtual_key_code, modifiers };
        // Both are on their way before the first is answered.
        let [down, up] = [KeyEventType::RawKeyDown, KeyEventType::KeyUp]
            .map(|r#type| self.tab.session().call(event(r#type), self.deadline));
        // Where scripts move the focus about, keys are no faster than those of a person.
        if self.heard.keys_up || self.heard.focus {
            tokio::try_join!(down, up)?;
        } else {
            down.await?;
        }
        Ok(())
    }

    async fn picture(self) -> Result<String, CdpError> {
        Ok(self.tab.session().call(CaptureViewport::default(), self.deadline).await?.data)
    }

    async fn evaluate(self, expression: &str) -> Result<Evaluated, CdpError> {
        evaluate(self.tab, self.world, expression, Outcome::Promise, self.deadline).await
    }
}
