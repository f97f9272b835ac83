//! Commands about the requests of a tab.

use serde::{Deserialize, Serialize};

use crate::cdp::command::{Done, command};

/// Begins to report requests.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EnableNetwork {
    pub(crate) max_post_data_size: u32,
    pub(crate) max_total_buffer_size: u32,
    pub(crate) max_resource_buffer_size: u32,
}
command!(EnableNetwork = "Network.enable" => Done);

/// Sends requests past service workers.
#[derive(Debug, Serialize)]
pub(crate) struct SetBypassServiceWorker {
    pub(crate) bypass: bool,
}
command!(SetBypassServiceWorker = "Network.setBypassServiceWorker" => Done);

/// Fails requests to these addresses at once, in which `*` stands for any characters.
#[derive(Debug, Serialize)]
pub(crate) struct SetBlockedUrls<'a> {
    pub(crate) urls: &'a [String],
}
command!(SetBlockedUrls<'_> = "Network.setBlockedURLs" => Done);

/// Asks for the cookies that these addresses get.
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

/// Stops requests that match one of the patterns, until they are continued or failed.
#[derive(Debug, Serialize)]
pub(crate) struct EnableFetch<'a> {
    pub(crate) patterns: &'a [RequestPattern],
}
command!(EnableFetch<'_> = "Fetch.enable" => Done);

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestPattern {
    /// Any where there is none.
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

/// Stops no further requests, and continues those that are stopped.
#[derive(Debug, Serialize)]
pub(crate) struct DisableFetch {}
command!(DisableFetch = "Fetch.disable" => Done);

/// Lets a request that was stopped go on.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContinueRequest<'a> {
    pub(crate) request_id: &'a str,
}
command!(ContinueRequest<'_> = "Fetch.continueRequest" => Done);

/// Ends a request that was stopped.
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

/// Takes the body of an answer that was stopped, which the browser then can't have.
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

/// Ends a stream.
#[derive(Debug, Serialize)]
pub(crate) struct CloseStream<'a> {
    pub(crate) handle: &'a str,
}
command!(CloseStream<'_> = "IO.close" => Done);
