//! The frames of a page: axe-core runs in an isolated world in each, and its findings reach the page's world over
//! DevTools.
//!
//! axe-core itself communicates between frames with `postMessage`, which the scripts of both documents receive as well:
//! they could read what other sites' frames show, and respond in axe-core's name.

use std::collections::HashSet;

use a11ycheck_core::domain::{FailureCode, PageOutcome, UncheckedFrame};
use futures_util::future::join_all;
use serde_json::Value;
use tokio::time::{Duration, Instant};

use super::{
    AxeSource,
    inject::{Injected, inject},
    part::{Answer, Context, MAX_PAGE_BYTES, PartError, limits},
};
use crate::{
    browser::{FrameTree, Outcome, Tab, ensure_timers, evaluate, world},
    cdp::{
        CdpError,
        commands::{DescribeNode, Evaluate, GetProperties, Property, RemoteObject},
    },
    redaction::redacted,
};

/// The number of frames of one page that are checked. Those beyond are counted as not checked.
const MAX_FRAMES: usize = 100;
/// The time limit for all frames of a page together.
const FRAMES_TIME: Duration = Duration::from_secs(20);
/// The time limit for a timer to fire in a frame, if it fires at all.
const TIMER_TIME: Duration = Duration::from_secs(1);

pub(super) const PART: &str = include_str!("part.js");
/// The source of other selectors than axe-core's, for [`PART`] and for the script that collects the results.
pub(super) const PLACES: &str = include_str!("places.js");

/// The reason why a frame was not checked.
#[derive(Debug, thiserror::Error)]
enum FrameError {
    #[error("it was removed, or shows another document now")]
    Gone(#[source] Option<CdpError>),
    #[error("nothing of a site is shown in it")]
    Unreachable,
    #[error("the page has more frames than are looked into")]
    TooMany,
    #[error("the results of the page's frames are too large together")]
    TooMuch,
    #[error("it has elements of a size that can't be checked")]
    TooLarge,
    #[error("it was not done in time")]
    TimedOut,
    #[error("axe-core failed in it: {0}")]
    Failed(String),
    #[error("its result can't be joined with the page's")]
    NotJoined,
    #[error(transparent)]
    Part(#[from] PartError),
}

impl FrameError {
    const fn reason(&self) -> FailureCode {
        match self {
            Self::Unreachable => FailureCode::Unreachable,
            Self::TooMany | Self::TooMuch | Self::TooLarge | Self::Part(PartError::TooLarge) => FailureCode::TooLarge,
            Self::TimedOut => FailureCode::Timeout,
            Self::Gone(_) | Self::Failed(_) | Self::NotJoined | Self::Part(_) => FailureCode::EngineError,
        }
    }

    /// Returns what the failure of a command means for a frame.
    ///
    /// # Errors
    /// The failure itself, if it is the end of the tab.
    fn of(error: CdpError) -> Result<Self, CdpError> {
        match error {
            CdpError::Ended { .. } => Err(error),
            CdpError::TimedOut { .. } => Ok(Self::TimedOut),
            // The world was removed with its document.
            CdpError::Refused { .. } | CdpError::Shape { .. } | CdpError::Arguments { .. } => {
                Ok(Self::Gone(Some(error)))
            }
        }
    }
}

/// The frames of a page, each with its part of the result or the reason why there is none.
#[derive(Debug)]
pub(super) struct Frames {
    frames: Vec<Frame>,
    /// The indexes of the frames in the top document.
    top: Vec<usize>,
}

#[derive(Debug)]
struct Frame {
    url: String,
    part: Result<String, FrameError>,
    /// The indexes of the frames in its document, in axe-core's order.
    children: Vec<usize>,
}

/// A document in which axe-core has run, and whose frames are next.
struct Document {
    /// The index of its frame in [`Frames`]; `None` for the top document.
    frame: Option<usize>,
    world: i64,
    contexts: Vec<Context>,
}

impl Frames {
    /// Runs axe-core in the frames below a document in which it has run, level by level: axe-core needs to know things
    /// about a frame that only the document around it can say. No frame's failure is an error.
    ///
    /// # Errors
    /// Fails only if the tab has ended.
    pub(super) async fn check(
        tab: &Tab,
        axe: &AxeSource,
        options: &Value,
        top: (i64, Vec<Context>),
        rules: &HashSet<String>,
        deadline: Instant,
    ) -> Result<Self, CdpError> {
        let now = Instant::now();
        // Whatever frames do, time is left to join the parts that there are.
        let deadline = (now + FRAMES_TIME).min(now + (deadline.saturating_duration_since(now)) * 3 / 4);
        let tree = FrameTree::read(tab, deadline).await?;
        let run = Run { tab, axe, options, tree: &tree, rules, deadline };
        let mut frames = Self { frames: Vec::new(), top: Vec::new() };
        let mut bytes = 0;
        let (world, contexts) = top;
        let mut level = vec![Document { frame: None, world, contexts }];
        while !level.is_empty() {
            let found = join_all(level.iter().map(|document| run.frame_ids(document))).await;
            let mut asked = Vec::new();
            for (document, ids) in level.into_iter().zip(found) {
                let ids = ids?;
                for (number, context) in document.contexts.into_iter().enumerate() {
                    let index = frames.frames.len();
                    let id = ids.get(number).cloned().flatten();
                    let url = id.as_ref().and_then(|id| tree.get(id)).map(|shown| redacted(&shown.url));
                    frames.frames.push(Frame {
                        url: url.unwrap_or_default(),
                        part: Err(FrameError::TooMany),
                        children: Vec::new(),
                    });
                    frames.children(document.frame).push(index);
                    if index < MAX_FRAMES {
                        asked.push((index, id, context));
                    }
                }
            }
            let answers = asked.iter().map(|(_, id, context)| run.frame(id.as_deref(), context));
            let answers = join_all(answers).await;
            level = Vec::new();
            for ((index, ..), answer) in asked.into_iter().zip(answers) {
                frames.frames[index].part = match answer? {
                    Ok((_, answer)) if bytes + answer.json.len() > MAX_PAGE_BYTES => Err(FrameError::TooMuch),
                    Ok((world, answer)) => {
                        bytes += answer.json.len();
                        if !answer.contexts.is_empty() {
                            level.push(Document { frame: Some(index), world, contexts: answer.contexts });
                        }
                        Ok(answer.json)
                    }
                    Err(error) => Err(error),
                };
            }
        }
        Ok(frames)
    }

    fn children(&mut self, document: Option<usize>) -> &mut Vec<usize> {
        match document {
            Some(index) => &mut self.frames[index].children,
            None => &mut self.top,
        }
    }

    /// Returns the parts in the order in which axe-core joins them, each frame before those in it; `None` for one that
    /// was not checked.
    pub(super) fn parts(&self) -> Vec<Option<&str>> {
        self.in_order().map(|frame| frame.part.as_deref().ok()).collect()
    }

    /// Leaves out the parts with these numbers in the order of [`Frames::parts`], or all of them if there are no
    /// numbers.
    pub(super) fn leave_out(&mut self, numbers: &[usize]) {
        let in_order: Vec<usize> = self.order();
        for (number, index) in in_order.into_iter().enumerate() {
            let frame = &mut self.frames[index];
            if frame.part.is_ok() && (numbers.is_empty() || numbers.contains(&number)) {
                frame.part = Err(FrameError::NotJoined);
            }
        }
    }

    /// Returns the frames that were not checked, in the order of the page. The frames inside one of these are not
    /// known.
    pub(super) fn unchecked(&self) -> Vec<UncheckedFrame> {
        let unchecked = self.in_order().filter_map(|frame| {
            let error = frame.part.as_ref().err()?;
            tracing::debug!(url = frame.url, error = error as &dyn std::error::Error, "a frame was not checked");
            Some(UncheckedFrame::new(&frame.url, error.reason()))
        });
        unchecked.collect()
    }

    fn in_order(&self) -> impl Iterator<Item = &Frame> {
        self.order().into_iter().map(|index| &self.frames[index])
    }

    fn order(&self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut waiting: Vec<usize> = self.top.iter().rev().copied().collect();
        while let Some(index) = waiting.pop() {
            order.push(index);
            let frame = &self.frames[index];
            if frame.part.is_ok() {
                waiting.extend(frame.children.iter().rev());
            }
        }
        order
    }
}

/// The values that the frames of one page have in common.
struct Run<'a> {
    tab: &'a Tab,
    axe: &'a AxeSource,
    options: &'a Value,
    tree: &'a FrameTree,
    rules: &'a HashSet<String>,
    deadline: Instant,
}

impl Run<'_> {
    /// Returns the browser's ids of a document's frames, in axe-core's order; `None` for a frame that was removed. The
    /// error is the end of the tab.
    async fn frame_ids(&self, document: &Document) -> Result<Vec<Option<String>>, CdpError> {
        match self.try_frame_ids(document).await {
            Ok(ids) => Ok(ids),
            Err(error) => FrameError::of(error).map(|error| {
                tracing::debug!(error = &error as &dyn std::error::Error, "the frames of a document are not known");
                Vec::new()
            }),
        }
    }

    async fn try_frame_ids(&self, document: &Document) -> Result<Vec<Option<String>>, CdpError> {
        if document.contexts.is_empty() {
            return Ok(Vec::new());
        }
        let session = self.tab.session();
        // The expression gives a handle, as elements can't be returned by value.
        let list = Evaluate {
            expression: "frameElements",
            context_id: Some(document.world),
            await_promise: false,
            return_by_value: false,
            silent: true,
            timeout: None,
        };
        let list = session.call(list, self.deadline).await?.result.object_id;
        let of_list = GetProperties { object_id: list.as_deref(), own_properties: true };
        let elements = session.call(of_list, self.deadline).await?;
        // The frames that are checked, and those that are listed because they are not.
        let wanted = MAX_FRAMES + PageOutcome::MAX_UNCHECKED_FRAMES;
        let mut objects = vec![None; document.contexts.len().min(wanted)];
        for Property { name, value } in elements.result {
            let place = name.parse().ok().and_then(|number: usize| objects.get_mut(number));
            if let (Some(place), Some(RemoteObject { object_id: Some(id), .. })) = (place, value) {
                *place = Some(id);
            }
        }
        join_all(objects.into_iter().map(|object| self.frame_id(object))).await.into_iter().collect()
    }

    async fn frame_id(&self, object: Option<String>) -> Result<Option<String>, CdpError> {
        let Some(object) = object else { return Ok(None) };
        match self.tab.session().call(DescribeNode { object_id: &object }, self.deadline).await {
            Ok(described) => Ok(described.node.frame_id),
            Err(error @ (CdpError::Ended { .. } | CdpError::TimedOut { .. })) => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Runs axe-core in a frame, and returns its world and its result, or the reason why there is none. The outer error
    /// is the end of the tab.
    async fn frame(&self, id: Option<&str>, context: &Context) -> Result<Result<(i64, Answer), FrameError>, CdpError> {
        let Some(id) = id else { return Ok(Err(FrameError::Gone(None))) };
        if self.tree.get(id).is_some_and(|shown| shown.is_unreachable) {
            return Ok(Err(FrameError::Unreachable));
        }
        match self.run_in(id, context).await {
            Ok((world, returned)) => Ok(returned.and_then(|text| Ok((world, Answer::parse(&text, self.rules)?)))),
            Err(error) => FrameError::of(error).map(Err),
        }
    }

    async fn run_in(&self, id: &str, context: &Context) -> Result<(i64, Result<String, FrameError>), CdpError> {
        let (tab, deadline) = (self.tab, self.deadline);
        let world = world(tab, id, deadline).await?;
        ensure_timers(tab, world, TIMER_TIME, deadline).await?;
        match inject(tab, world, self.axe, deadline).await? {
            Injected::Ready => {}
            Injected::TooLarge => return Ok((world, Err(FrameError::TooLarge))),
            Injected::Failed(error) => return Ok((world, Err(FrameError::Failed(error)))),
        }
        let part = format!("({PART})({}, {}, {}, false, {PLACES})", self.options, context.to_json(), limits());
        let evaluated = evaluate(tab, world, &part, Outcome::Promise, deadline).await?;
        let returned = match evaluated.exception() {
            Some(exception) => Err(FrameError::Failed(exception)),
            None => Ok(evaluated.text().unwrap_or_default().to_owned()),
        };
        Ok((world, returned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(part: Result<&str, FrameError>, children: &[usize]) -> Frame {
        Frame { url: "https://a.example/".to_owned(), part: part.map(str::to_owned), children: children.to_vec() }
    }

    #[test]
    fn a_frame_comes_before_those_in_it_and_one_that_was_not_checked_hides_those_in_it() {
        let mut frames = Frames {
            frames: vec![
                frame(Ok("a"), &[3, 4]),
                frame(Err(FrameError::TimedOut), &[]),
                frame(Ok("c"), &[5]),
                frame(Ok("a1"), &[]),
                frame(Ok("a2"), &[]),
                frame(Ok("c1"), &[]),
            ],
            top: vec![0, 1, 2],
        };
        assert_eq!(frames.parts(), [Some("a"), Some("a1"), Some("a2"), None, Some("c"), Some("c1")]);
        assert_eq!(frames.unchecked().len(), 1);

        frames.leave_out(&[4]);
        assert_eq!(frames.parts(), [Some("a"), Some("a1"), Some("a2"), None, None]);
        let reasons: Vec<_> = frames.unchecked().into_iter().map(|frame| frame.reason).collect();
        assert_eq!(reasons, [FailureCode::Timeout, FailureCode::EngineError]);

        frames.leave_out(&[]);
        assert_eq!(frames.parts(), [None, None, None]);
    }
}
