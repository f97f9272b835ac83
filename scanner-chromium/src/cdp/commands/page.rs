//! Commands about the page in a tab, and about the device that it is shown on.

use serde::{Deserialize, Serialize};

use crate::cdp::command::{Done, command};

/// Begins the reports of the death of the tab's process.
#[derive(Debug, Serialize)]
pub(crate) struct EnableInspector {}
command!(EnableInspector = "Inspector.enable" => Done);

/// Begins the reports of the page's events.
#[derive(Debug, Serialize)]
pub(crate) struct EnablePage {}
command!(EnablePage = "Page.enable" => Done);

/// Makes the browser report the progress of documents.
#[derive(Debug, Serialize)]
pub(crate) struct SetLifecycleEvents {
    pub(crate) enabled: bool,
}
command!(SetLifecycleEvents = "Page.setLifecycleEventsEnabled" => Done);

/// Opens an address. Its result comes when a document arrives, or when it is certain that none will.
#[derive(Debug, Serialize)]
pub(crate) struct Navigate<'a> {
    pub(crate) url: &'a str,
}
command!(Navigate<'_> = "Page.navigate" => Navigated);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Navigated {
    /// The browser's name of the network error, if there was one.
    pub(crate) error_text: Option<String>,
    #[serde(default)]
    pub(crate) is_download: bool,
}

/// Requests the documents that the tab shows.
#[derive(Debug, Serialize)]
pub(crate) struct GetFrameTree {}
command!(GetFrameTree = "Page.getFrameTree" => FrameTreeResult);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameTreeResult {
    pub(crate) frame_tree: FrameTreeNode,
}

/// A frame and the frames in it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameTreeNode {
    pub(crate) frame: ShownFrame,
    #[serde(default)]
    pub(crate) child_frames: Vec<Self>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShownFrame {
    pub(crate) id: String,
    pub(crate) url: String,
    /// The address that failed, if the browser shows its own error page instead.
    pub(crate) unreachable_url: Option<String>,
}

/// Requests the list of what the documents in the tab have loaded.
#[derive(Debug, Serialize)]
pub(crate) struct GetResourceTree {}
command!(GetResourceTree = "Page.getResourceTree" => ResourceTree);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResourceTree {
    pub(crate) frame_tree: FrameResources,
}

/// The resources that the document of the main frame has loaded.
#[derive(Debug, Deserialize)]
pub(crate) struct FrameResources {
    pub(crate) resources: Vec<FrameResource>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameResource {
    /// The address, without fragment.
    pub(crate) url: String,
    pub(crate) mime_type: String,
    /// The number of bytes.
    #[serde(default)]
    pub(crate) content_size: f64,
}

/// Requests the content of a resource that a document has loaded, if the browser still has it. Nothing is requested
/// from the site.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GetResourceContent<'a> {
    pub(crate) frame_id: &'a str,
    pub(crate) url: &'a str,
}
command!(GetResourceContent<'_> = "Page.getResourceContent" => ResourceContent);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResourceContent {
    pub(crate) content: String,
    pub(crate) base64_encoded: bool,
}

/// Creates an isolated world in a frame, where no script of the page runs; the same one each time.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateIsolatedWorld<'a> {
    pub(crate) frame_id: &'a str,
    pub(crate) world_name: &'a str,
}
command!(CreateIsolatedWorld<'_> = "Page.createIsolatedWorld" => IsolatedWorld);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IsolatedWorld {
    pub(crate) execution_context_id: i64,
}

/// Replaces the document in a frame.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetDocumentContent<'a> {
    pub(crate) frame_id: &'a str,
    pub(crate) html: &'a str,
}
command!(SetDocumentContent<'_> = "Page.setDocumentContent" => Done);

/// Answers a dialog of a page.
#[derive(Debug, Serialize)]
pub(crate) struct HandleJavaScriptDialog {
    pub(crate) accept: bool,
}
command!(HandleJavaScriptDialog = "Page.handleJavaScriptDialog" => Done);

/// Takes a picture of a part of the page.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CaptureScreenshot {
    #[serde(flatten)]
    pub(crate) format: ImageFormat,
    pub(crate) clip: Clip,
    pub(crate) capture_beyond_viewport: bool,
}
command!(CaptureScreenshot = "Page.captureScreenshot" => Screenshot);

/// Takes a picture of what the window shows.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CaptureViewport {
    #[serde(flatten)]
    pub(crate) format: ImageFormat,
}
command!(CaptureViewport = "Page.captureScreenshot" => Screenshot);

impl Default for CaptureViewport {
    /// Without loss, since pixels are compared.
    fn default() -> Self {
        Self { format: ImageFormat::Png { optimize_for_speed: true } }
    }
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(tag = "format", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum ImageFormat {
    Png {
        optimize_for_speed: bool,
    },
    /// Lossy, with a quality in percent.
    Webp {
        quality: u32,
    },
}

/// A part of the page, in CSS pixels.
#[derive(Debug, Serialize)]
pub(crate) struct Clip {
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// The number of pixels for one CSS pixel.
    pub(crate) scale: f64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Screenshot {
    /// The picture in base64.
    pub(crate) data: String,
}

/// Requests the size of the page.
#[derive(Debug, Serialize)]
pub(crate) struct GetLayoutMetrics {}
command!(GetLayoutMetrics = "Page.getLayoutMetrics" => LayoutMetrics);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LayoutMetrics {
    pub(crate) css_content_size: ContentSize,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ContentSize {
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// Stops the page's scripts, or lets them run again: no script begins, no listener is called and no timer fires, in any
/// of its documents. What is evaluated in a world of ours runs, and so do its listeners and animation frames, but not
/// its timers.
#[derive(Debug, Serialize)]
pub(crate) struct SetScriptExecutionDisabled {
    pub(crate) value: bool,
}
command!(SetScriptExecutionDisabled = "Emulation.setScriptExecutionDisabled" => Done);

/// Sets the speed of the animations and transitions of all documents: 0 stops them where they are, 1 is their own.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetPlaybackRate {
    pub(crate) playback_rate: f64,
}
command!(SetPlaybackRate = "Animation.setPlaybackRate" => Done);

/// Sets the size of the viewport.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetDeviceMetrics {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) device_scale_factor: u32,
    pub(crate) mobile: bool,
    /// Leaves the size of the part that is drawn as it is.
    pub(crate) dont_set_visible_size: bool,
    /// Where the part that is drawn begins, in place of where the page is scrolled to. The page does not notice it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) viewport: Option<Clip>,
}
command!(SetDeviceMetrics = "Emulation.setDeviceMetricsOverride" => Done);

/// Sets the size of the part of the page that is drawn, from where the window, or the viewport of [`SetDeviceMetrics`], begins. The page does not notice
/// it.
#[derive(Debug, Serialize)]
pub(crate) struct SetVisibleSize {
    pub(crate) width: u32,
    pub(crate) height: u32,
}
command!(SetVisibleSize = "Emulation.setVisibleSize" => Done);

/// Gives the page the focus, or takes it, whatever the window or the other tabs have.
#[derive(Debug, Serialize)]
pub(crate) struct SetFocusEmulation {
    pub(crate) enabled: bool,
}
command!(SetFocusEmulation = "Emulation.setFocusEmulationEnabled" => Done);

/// Sets the media features that media queries see.
#[derive(Debug, Serialize)]
pub(crate) struct SetEmulatedMedia<'a> {
    pub(crate) features: &'a [MediaFeature],
}
command!(SetEmulatedMedia<'_> = "Emulation.setEmulatedMedia" => Done);

#[derive(Debug, Serialize)]
pub(crate) struct MediaFeature {
    pub(crate) name: &'static str,
    pub(crate) value: &'static str,
}

/// Sets the user agent of the tab.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetUserAgent<'a> {
    pub(crate) user_agent: &'a str,
    /// The languages that the tab asks for; the browser's own if `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) accept_language: Option<&'a str>,
}
command!(SetUserAgent<'_> = "Emulation.setUserAgentOverride" => Done);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_format_of_a_picture_stands_beside_its_place() {
        let clip = || Clip { x: 1, y: 2, width: 3, height: 4, scale: 0.5 };
        let png = ImageFormat::Png { optimize_for_speed: true };
        let command = CaptureScreenshot { format: png, clip: clip(), capture_beyond_viewport: true };
        assert_eq!(
            serde_json::to_value(command).unwrap(),
            json!({
                "format": "png", "optimizeForSpeed": true, "captureBeyondViewport": true,
                "clip": { "x": 1, "y": 2, "width": 3, "height": 4, "scale": 0.5 },
            })
        );
        let webp = ImageFormat::Webp { quality: 60 };
        let command = CaptureScreenshot { format: webp, clip: clip(), capture_beyond_viewport: true };
        let command = serde_json::to_value(command).unwrap();
        assert_eq!((&command["format"], &command["quality"]), (&json!("webp"), &json!(60)));
    }
}
