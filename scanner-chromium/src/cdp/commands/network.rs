//! Commands about the requests of a tab.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize};

use crate::cdp::command::{Done, command};

/// Begins the reports of requests.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EnableNetwork {
    pub(crate) max_post_data_size: u32,
    pub(crate) max_total_buffer_size: u32,
    pub(crate) max_resource_buffer_size: u32,
}
command!(EnableNetwork = "Network.enable" => Done);

/// Makes requests bypass service workers.
#[derive(Debug, Serialize)]
pub(crate) struct SetBypassServiceWorker {
    pub(crate) bypass: bool,
}
command!(SetBypassServiceWorker = "Network.setBypassServiceWorker" => Done);

/// Fails requests to these addresses at once. In an address, `*` stands for any characters.
#[derive(Debug, Serialize)]
pub(crate) struct SetBlockedUrls<'a> {
    pub(crate) urls: &'a [String],
}
command!(SetBlockedUrls<'_> = "Network.setBlockedURLs" => Done);

/// Requests the cookies that are sent to these addresses.
#[derive(Debug, Serialize)]
pub(crate) struct GetCookies<'a> {
    pub(crate) urls: &'a [&'a str],
}
command!(GetCookies<'_> = "Network.getCookies" => Cookies);

#[derive(Debug, Deserialize)]
pub(crate) struct Cookies {
    pub(crate) cookies: Vec<Cookie>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Cookie {
    pub(crate) name: String,
}

/// Pauses requests that match one of the patterns, until they are continued or failed.
#[derive(Debug, Serialize)]
pub(crate) struct EnableFetch<'a> {
    pub(crate) patterns: &'a [RequestPattern],
}
command!(EnableFetch<'_> = "Fetch.enable" => Done);

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestPattern {
    /// The kind of requests; any kind if `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) resource_type: Option<ResourceType>,
    pub(crate) request_stage: RequestStage,
}

#[derive(Debug, Serialize)]
pub(crate) enum ResourceType {
    Document,
}

#[derive(Debug, Serialize)]
pub(crate) enum RequestStage {
    Request,
    Response,
}

/// Stops pausing requests, and continues those that are paused.
#[derive(Debug, Serialize)]
pub(crate) struct DisableFetch {}
command!(DisableFetch = "Fetch.disable" => Done);

/// Continues a paused request.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContinueRequest<'a> {
    pub(crate) request_id: &'a str,
    /// The headers instead of its own; its own if `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) headers: Option<&'a [HeaderEntry<'a>]>,
}

/// A header of a request. Its value may be a secret.
#[derive(Serialize)]
pub(crate) struct HeaderEntry<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: Cow<'a, str>,
}

impl fmt::Debug for HeaderEntry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
command!(ContinueRequest<'_> = "Fetch.continueRequest" => Done);

/// Fails a paused request.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FailRequest<'a> {
    pub(crate) request_id: &'a str,
    pub(crate) error_reason: ErrorReason,
}
command!(FailRequest<'_> = "Fetch.failRequest" => Done);

#[derive(Debug, Serialize)]
pub(crate) enum ErrorReason {
    Aborted,
}

/// Takes the body of a paused response as a stream. The browser can't use it then.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TakeResponseBodyAsStream<'a> {
    pub(crate) request_id: &'a str,
}
command!(TakeResponseBodyAsStream<'_> = "Fetch.takeResponseBodyAsStream" => Stream);

#[derive(Debug, Deserialize)]
pub(crate) struct Stream {
    pub(crate) stream: String,
}

/// Reads a part of a stream.
#[derive(Debug, Serialize)]
pub(crate) struct ReadStream<'a> {
    pub(crate) handle: &'a str,
    pub(crate) size: usize,
}
command!(ReadStream<'_> = "IO.read" => StreamChunk);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StreamChunk {
    pub(crate) data: String,
    #[serde(default)]
    pub(crate) base64_encoded: bool,
    pub(crate) eof: bool,
}

/// Closes a stream.
#[derive(Debug, Serialize)]
pub(crate) struct CloseStream<'a> {
    pub(crate) handle: &'a str,
}
command!(CloseStream<'_> = "IO.close" => Done);
