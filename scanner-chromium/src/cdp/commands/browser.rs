//! Commands to the browser itself: its contexts, targets and processes.

use serde::{Deserialize, Serialize};

use crate::cdp::command::{Done, command};

/// Requests the name and the version of the browser.
#[derive(Debug, Serialize)]
pub(crate) struct GetVersion {}
command!(GetVersion = "Browser.getVersion" => Version);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Version {
    pub(crate) product: String,
    pub(crate) user_agent: String,
}

/// Sets the treatment of downloads in one context.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetDownloadBehavior<'a> {
    pub(crate) behavior: DownloadBehavior,
    pub(crate) browser_context_id: &'a str,
}
command!(SetDownloadBehavior<'_> = "Browser.setDownloadBehavior" => Done);

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum DownloadBehavior {
    Deny,
}

/// Makes the browser report its targets, and how they end.
#[derive(Debug, Serialize)]
pub(crate) struct SetDiscoverTargets {
    pub(crate) discover: bool,
}
command!(SetDiscoverTargets = "Target.setDiscoverTargets" => Done);

/// Attaches to what the page of a session begins, if it is of these kinds; the browser reports it only then.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetAutoAttach<'a> {
    pub(crate) auto_attach: bool,
    pub(crate) wait_for_debugger_on_start: bool,
    pub(crate) flatten: bool,
    pub(crate) filter: &'a [TargetKind<'a>],
}
command!(SetAutoAttach<'_> = "Target.setAutoAttach" => Done);

#[derive(Debug, Serialize)]
pub(crate) struct TargetKind<'a> {
    #[serde(rename = "type")]
    pub(crate) kind: &'a str,
}

/// Creates a context, which is a separate profile.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateBrowserContext<'a> {
    pub(crate) proxy_server: String,
    pub(crate) proxy_bypass_list: &'a str,
    pub(crate) dispose_on_detach: bool,
}
command!(CreateBrowserContext<'_> = "Target.createBrowserContext" => CreatedContext);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreatedContext {
    pub(crate) browser_context_id: String,
}

/// Ends a context with all of its pages.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DisposeBrowserContext<'a> {
    pub(crate) browser_context_id: &'a str,
}
command!(DisposeBrowserContext<'_> = "Target.disposeBrowserContext" => Done);

/// Opens a tab.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateTarget<'a> {
    pub(crate) url: &'a str,
    /// The context of the tab; the browser's own if `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) browser_context_id: Option<&'a str>,
}
command!(CreateTarget<'_> = "Target.createTarget" => CreatedTarget);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreatedTarget {
    pub(crate) target_id: String,
}

/// Begins a session with a tab.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AttachToTarget<'a> {
    pub(crate) target_id: &'a str,
    pub(crate) flatten: bool,
}
command!(AttachToTarget<'_> = "Target.attachToTarget" => Attached);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Attached {
    pub(crate) session_id: String,
}

/// Closes a tab.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CloseTarget<'a> {
    pub(crate) target_id: &'a str,
}
command!(CloseTarget<'_> = "Target.closeTarget" => Done);

/// Requests the list of the browser's processes.
#[derive(Debug, Serialize)]
pub(crate) struct GetProcessInfo {}
command!(GetProcessInfo = "SystemInfo.getProcessInfo" => Processes);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Processes {
    pub(crate) process_info: Vec<Process>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Process {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) id: u32,
}

/// Makes the browser release memory that it does not need.
#[derive(Debug, Serialize)]
pub(crate) struct SimulatePressure {
    pub(crate) level: PressureLevel,
}
command!(SimulatePressure = "Memory.simulatePressureNotification" => Done);

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum PressureLevel {
    Critical,
}
