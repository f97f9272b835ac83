//! The frames of the page in a tab.

use std::collections::HashMap;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::Tab;
use crate::cdp::CdpError;

/// The documents that a tab shows, as the browser knows them.
#[derive(Debug)]
pub(crate) struct FrameTree(HashMap<String, Shown>);

#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) url: String,
    /// The browser's own error page stands there: nothing of the site's.
    pub(crate) is_unreachable: bool,
}

impl FrameTree {
    /// The frames below the top document.
    pub(crate) async fn read(tab: &Tab, deadline: Instant) -> Result<Self, CdpError> {
        let tree: Value = tab.session().call("Page.getFrameTree", json!({}), deadline).await?;
        let mut frames = HashMap::new();
        let mut trees: Vec<&Value> = children(&tree["frameTree"]).collect();
        while let Some(tree) = trees.pop() {
            let frame = &tree["frame"];
            if let Some(id) = frame["id"].as_str() {
                let unreachable = frame["unreachableUrl"].as_str();
                let url = unreachable.or(frame["url"].as_str()).unwrap_or_default().to_owned();
                frames.insert(id.to_owned(), Shown { url, is_unreachable: unreachable.is_some() });
            }
            trees.extend(children(tree));
        }
        Ok(Self(frames))
    }

    /// What a frame shows, by the browser's id of it.
    pub(crate) fn get(&self, id: &str) -> Option<&Shown> {
        self.0.get(id)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The browser's ids of those in which something of a site may be shown.
    pub(crate) fn into_ids(self) -> Vec<String> {
        self.0.into_iter().filter(|(_, shown)| !shown.is_unreachable).map(|(id, _)| id).collect()
    }
}

fn children(tree: &Value) -> impl Iterator<Item = &Value> {
    tree["childFrames"].as_array().into_iter().flatten()
}
