//! The frames of the page in a tab.

use std::collections::HashMap;

use tokio::time::Instant;

use super::Tab;
use crate::cdp::{
    CdpError,
    commands::{FrameTreeNode, GetFrameTree},
};

/// The documents in the frames of a tab, as the browser knows them.
#[derive(Debug)]
pub(crate) struct FrameTree(HashMap<String, Shown>);

#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) url: String,
    /// True if the frame shows the browser's own error page, and so nothing of the site.
    pub(crate) is_unreachable: bool,
}

impl FrameTree {
    /// Reads the frames below the top document.
    pub(crate) async fn read(tab: &Tab, deadline: Instant) -> Result<Self, CdpError> {
        let tree = tab.session().call(GetFrameTree {}, deadline).await?.frame_tree;
        let mut frames = HashMap::new();
        let mut trees = tree.child_frames;
        while let Some(FrameTreeNode { frame, child_frames }) = trees.pop() {
            let is_unreachable = frame.unreachable_url.is_some();
            let url = frame.unreachable_url.unwrap_or(frame.url);
            frames.insert(frame.id, Shown { url, is_unreachable });
            trees.extend(child_frames);
        }
        Ok(Self(frames))
    }

    /// Returns what a frame shows, by the browser's id of the frame.
    pub(crate) fn get(&self, id: &str) -> Option<&Shown> {
        self.0.get(id)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the browser's ids of the frames that may show something of a site.
    pub(crate) fn into_ids(self) -> Vec<String> {
        self.0.into_iter().filter(|(_, shown)| !shown.is_unreachable).map(|(id, _)| id).collect()
    }
}
