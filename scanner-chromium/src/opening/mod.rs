//! What a page shows only once a control is pressed: menus, disclosures, tabs, dialogs, carousels (decision 0063).
//!
//! `opening.js` finds the controls that say that they open something and do nothing else, presses one after the other and puts each
//! back before the next; `words.js` has the words of controls that are never pressed. axe-core and the probes look at what has
//! appeared, and nothing else, and `pictures` are taken while it can be seen. The caller watches what the page does meanwhile, and drops all
//! of it where that is more than opening.

mod pictures;

use a11ycheck_core::domain::OpenedBy;
use serde::Deserialize;
use serde_json::json;
use tokio::time::{Duration, Instant, timeout_at};

use crate::{
    axe::{self, AxeError, AxeOptions, AxeSource, Collected, HOLD, Timing},
    browser::{Outcome, Tab, evaluate},
    cdp::{
        CdpError,
        commands::{DispatchKeyEvent, Evaluated, KeyEventType},
    },
    evidence::Capture,
    permits::ScanPermits,
    probes,
};

pub(crate) use self::pictures::{MIN_SHOTS, Pictures};

const OPENING: &str = include_str!("opening.js");
const WORDS: &str = include_str!("words.js");
const KIT: &str = include_str!("../probes/kit.js");

/// The probes that press keys.
const DIALOG_FOCUS: &str = "a11ycheck-dialog-focus";
const OPENING_KEYS: &str = "a11ycheck-opening-keys";

/// The time limit for all controls of a page, reloads included.
pub(crate) const TIME: Duration = Duration::from_secs(15);
/// The greatest number of controls of a page that are pressed.
const MAX_STATES: u32 = 12;
/// The greatest number of times that a page is opened again, because it could not be put back.
pub(crate) const MAX_RELOADS: u32 = 3;

/// The findings about what appeared when a control was pressed, or about controls themselves.
#[derive(Debug)]
pub(crate) struct Opened {
    /// The control; `None` for findings about controls themselves.
    pub(crate) by: Option<OpenedBy>,
    pub(crate) collected: Collected,
    /// The shots of what appeared, and of what these findings are about.
    pub(crate) captures: Vec<Capture>,
}

/// How far a page has come.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    pub(crate) opened: Vec<Opened>,
    pub(crate) end: End,
}

impl Progress {
    fn add(&mut self, by: Option<OpenedBy>, collected: Collected) {
        self.opened.push(Opened { by, collected, captures: Vec::new() });
    }
}

/// Why no further control is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum End {
    /// All have been, or there is no time for more.
    #[default]
    Done,
    /// The page could not be put back: the control with this number is the next once it has been opened again.
    Stuck(usize),
    /// A control did more than open something: nothing of this page counts.
    Left,
}

/// A control of the page, as `opening.js` returns it. Its texts are hostile.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Control {
    name: String,
    selector: String,
    /// True if keys do nothing with it unless a script of the page says so.
    is_custom: bool,
}

/// A key that is pressed.
#[derive(Debug, Clone, Copy)]
enum Key {
    Enter,
    Space,
    Down,
    Escape,
}

/// The outcome of pressing a control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Pressed {
    Opened,
    Nothing,
    Left,
}

/// A page whose controls are pressed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page<'a> {
    pub(crate) tab: &'a Tab,
    /// Our world in its document.
    pub(crate) world: i64,
    pub(crate) axe: &'a AxeSource,
    pub(crate) axe_options: &'a AxeOptions,
    pub(crate) conditions: probes::Conditions,
    pub(crate) permits: &'a ScanPermits<'a>,
    pub(crate) pictures: &'a Pictures<'a>,
    pub(crate) deadline: Instant,
}

impl Page<'_> {
    /// Presses the controls of the page from the one with the number `from` on, and returns what each opened. `has_left` says whether the
    /// page has done more than open something. An exception in a script ends the opening of this page, and costs nothing else.
    ///
    /// # Errors
    /// Those of the browser and of axe-core, but not that the time was over.
    pub(crate) async fn open(self, from: usize, has_left: impl Fn() -> bool) -> Result<Progress, AxeError> {
        let mut progress = Progress::default();
        match self.open_each(from, &has_left, &mut progress).await {
            Err(AxeError::Browser(CdpError::TimedOut { .. })) => {}
            outcome => progress.end = outcome?,
        }
        if has_left() {
            progress.end = End::Left;
        }
        if progress.end == End::Left {
            progress.opened.clear();
        }
        Ok(progress)
    }

    async fn open_each(
        self,
        from: usize,
        has_left: &impl Fn() -> bool,
        progress: &mut Progress,
    ) -> Result<End, AxeError> {
        axe::prepare(self.tab, self.world, self.axe, self.deadline).await?;
        let limits = json!({
            // The controls that are looked at, and those that are pressed; the characters of a name and of a selector; the elements of the page, and
            // the parts that may appear at once; the milliseconds of quiet after a press, and the longest wait for it.
            "seen": 2_000,
            "states": MAX_STATES,
            "text": 2_000,
            "elements": 20_000,
            "roots": 60,
            "quiet": 120,
            "longest": 1_200,
        });
        let begun = self
            .evaluate(&format!("({OPENING})({KIT}, {WORDS}, {}, {limits})", probes::facts()), Outcome::Value)
            .await?;
        let Some(begun) = begun else { return Ok(End::Done) };
        let controls: Vec<Control> = begun.json()?;
        for (number, control) in controls.iter().enumerate().skip(from) {
            let Some(pressed) = self.evaluate(&format!("opening.press({number})"), Outcome::Promise).await? else {
                return Ok(End::Done);
            };
            let pressed = pressed.value::<Pressed>()?;
            if pressed == Pressed::Left || has_left() {
                return Ok(End::Left);
            }
            let by = OpenedBy::new(&control.name, &control.selector);
            let mut of_dialog = Vec::new();
            if pressed == Pressed::Opened {
                let (collected, is_dialog) = self.look().await?;
                if let Some(collected) = collected {
                    // Findings are kept even if there is no time for their pictures.
                    progress.add(Some(by.clone()), collected);
                    if let Some(Opened { collected, captures, .. }) = progress.opened.last_mut() {
                        *captures = self.pictures.take(self.tab, collected, self.deadline).await?;
                    }
                }
                if is_dialog {
                    of_dialog = self.try_escape().await?;
                }
            }
            if has_left() {
                return Ok(End::Left);
            }
            let is_back = self.close().await?;
            self.report(DIALOG_FOCUS, Some(by), of_dialog, progress).await?;
            if !is_back {
                return Ok(End::Stuck(number + 1));
            }
            if pressed == Pressed::Opened && control.is_custom {
                // What answers a click by sending something gets no key.
                if has_left() {
                    return Ok(End::Left);
                }
                let is_back = self.try_keys(has_left).await?;
                self.report(OPENING_KEYS, None, Vec::new(), progress).await?;
                if !is_back {
                    return Ok(End::Stuck(number + 1));
                }
            }
        }
        Ok(End::Done)
    }

    /// Runs axe-core and the probes on what has appeared, and returns whether it is a dialog as well; `None` after an exception.
    async fn look(self) -> Result<(Option<Collected>, bool), AxeError> {
        let Ok(_core) = timeout_at(self.deadline, self.permits.core()).await else { return Ok((None, false)) };
        if !self.run_axe().await? {
            return Ok((None, false));
        }
        probes::run(self.tab, self.world, self.conditions, self.deadline).await?;
        let Some(kept) = self.evaluate("opening.keep()", Outcome::Value).await? else { return Ok((None, false)) };
        let is_dialog = kept.result.value == true;
        Ok((axe::collect(self.tab, self.world, Timing::Final, self.deadline).await?, is_dialog))
    }

    /// Runs axe-core on what has appeared, and on the frames in it; false after an exception.
    async fn run_axe(self) -> Result<bool, AxeError> {
        if !self.is_true("opening.hasFrames()").await? {
            // One run is cheaper than parts.
            let look = format!("opening.look({}, {HOLD})", self.axe_options.json());
            return Ok(self.evaluate(&look, Outcome::Promise).await?.is_some());
        }
        let Self { tab, world, axe, axe_options, deadline, .. } = self;
        match axe::run_within(tab, world, axe, axe_options, "opening.extent()", deadline).await {
            Err(AxeError::Failed(exception)) => {
                tracing::warn!(exception, "What a page opens could not be looked at");
                Ok(false)
            }
            outcome => outcome.map(|()| true),
        }
    }

    /// Presses Escape in a dialog, and returns the shots of it, taken while it is open, if something is found about it.
    async fn try_escape(self) -> Result<Vec<Capture>, AxeError> {
        let mut captures = self.show(DIALOG_FOCUS).await?;
        // Pictures may have closed it.
        if self.is_true("opening.stays()").await? {
            self.press(Key::Escape).await?;
            if self.is_true("opening.escaped()").await? {
                captures.extend(self.show(DIALOG_FOCUS).await?);
                self.is_true("opening.stays()").await?;
            }
        }
        Ok(captures)
    }

    /// Presses keys on a control that a click has opened, until one opens it too, or the page does more than that. Returns whether the
    /// page is as it was.
    async fn try_keys(self, has_left: &impl Fn() -> bool) -> Result<bool, AxeError> {
        let has_focus = self.evaluate("opening.aim()", Outcome::Promise).await?;
        if has_focus.is_none_or(|focus| focus.result.value != true) {
            return self.close().await;
        }
        // An arrow opens some menus, and is a key as well.
        for key in [Key::Enter, Key::Space, Key::Down] {
            self.press(key).await?;
            let Some(answered) = self.evaluate("opening.answered()", Outcome::Promise).await? else { return Ok(false) };
            if answered.result.value == true {
                return self.close().await;
            }
            if has_left() {
                return Ok(false);
            }
        }
        self.evaluate("opening.unanswered()", Outcome::Value).await?;
        self.close().await
    }

    /// Adds what a probe that presses keys has found, with these shots, or with one of what can be seen now; nothing if it was not asked.
    async fn report(
        self,
        probe: &str,
        by: Option<OpenedBy>,
        captures: Vec<Capture>,
        progress: &mut Progress,
    ) -> Result<(), AxeError> {
        let Some(collected) = self.left(&format!("opening.tell('{probe}')")).await? else { return Ok(()) };
        // It is kept even if there is no time for its picture.
        progress.opened.push(Opened { by, collected, captures });
        let shown = self.show(probe).await?;
        if let Some(Opened { captures, .. }) = progress.opened.last_mut() {
            captures.extend(shown);
        }
        Ok(())
    }

    /// Takes the shot of what a probe that presses keys has found so far; none if that is nothing, or if it was tried before for this
    /// control.
    async fn show(self, probe: &str) -> Result<Vec<Capture>, AxeError> {
        let Some(found) = self.left(&format!("opening.show('{probe}')")).await? else { return Ok(Vec::new()) };
        Ok(self.pictures.take(self.tab, &found, self.deadline).await?)
    }

    /// Returns what a step of the script has left; `None` if it says that this is nothing.
    async fn left(self, step: &str) -> Result<Option<Collected>, AxeError> {
        let left = self.evaluate(step, Outcome::Value).await?;
        if left.is_none_or(|left| left.result.value != true) {
            return Ok(None);
        }
        axe::collect(self.tab, self.world, Timing::Final, self.deadline).await
    }

    /// Puts back what was opened, and returns whether the page is as it was.
    async fn close(self) -> Result<bool, AxeError> {
        self.is_true("opening.close()").await
    }

    /// Returns whether a script promises true; not after an exception.
    async fn is_true(self, expression: &str) -> Result<bool, AxeError> {
        let answer = self.evaluate(expression, Outcome::Promise).await?;
        Ok(answer.is_some_and(|answer| answer.result.value == true))
    }

    async fn press(self, key: Key) -> Result<(), CdpError> {
        let (key, code, windows_virtual_key_code) = match key {
            Key::Enter => ("Enter", "Enter", 13),
            Key::Space => (" ", "Space", 32),
            Key::Down => ("ArrowDown", "ArrowDown", 40),
            Key::Escape => ("Escape", "Escape", 27),
        };
        for r#type in [KeyEventType::RawKeyDown, KeyEventType::KeyUp] {
            let event = DispatchKeyEvent { r#type, key, code, windows_virtual_key_code, modifiers: 0 };
            self.tab.session().call(event, self.deadline).await?;
        }
        Ok(())
    }

    /// Returns the result of an expression, or of what it promises; `None` after an exception.
    async fn evaluate(self, expression: &str, outcome: Outcome) -> Result<Option<Evaluated>, CdpError> {
        let evaluated = evaluate(self.tab, self.world, expression, outcome, self.deadline).await?;
        if let Some(exception) = evaluated.exception() {
            tracing::warn!(exception, "What a page opens could not be looked at");
            return Ok(None);
        }
        Ok(Some(evaluated))
    }
}
