//! The commands of the protocol that are in use, each with the part of its result that is read.
//!
//! Only what is sent or read is here, so additions of a newer Chromium change nothing. The names are the protocol's own
//! (<https://chromedevtools.github.io/devtools-protocol/tot/>), which describes each parameter.

mod browser;
mod input;
mod network;
mod page;
mod script;

pub(crate) use self::{
    browser::{
        AttachToTarget, CloseTarget, CreateBrowserContext, CreateTarget, DisposeBrowserContext, DownloadBehavior,
        GetProcessInfo, GetVersion, PressureLevel, Process, SetAutoAttach, SetDiscoverTargets, SetDownloadBehavior,
        SimulatePressure, TargetKind, Version,
    },
    input::{DispatchKeyEvent, KeyEventType},
    network::{
        CloseStream, ContinueRequest, DisableFetch, EnableFetch, EnableNetwork, ErrorReason, FailRequest, GetCookies,
        HeaderEntry, ReadStream, RequestPattern, RequestStage, ResourceType, SetBlockedUrls, SetBypassServiceWorker,
        StreamChunk, TakeResponseBodyAsStream,
    },
    page::{
        CaptureScreenshot, CaptureViewport, Clip, CreateIsolatedWorld, EnableInspector, EnablePage, FrameTreeNode,
        GetFrameTree, GetLayoutMetrics, GetResourceContent, GetResourceTree, HandleJavaScriptDialog, ImageFormat,
        MediaFeature, Navigate, Navigated, SetDeviceMetrics, SetDocumentContent, SetEmulatedMedia, SetFocusEmulation,
        SetLifecycleEvents, SetPlaybackRate, SetScriptExecutionDisabled, SetUserAgent, SetVisibleSize,
    },
    script::{
        Argument, CallArgument, CallFunction, CallFunctionOn, DescribeNode, EnableCss, EnableDom, Evaluate, Evaluated,
        EventListener, GetBoxModel, GetDocument, GetEventListeners, GetFrameOwner, GetListenersBelow, GetPlatformFonts,
        GetProperties, NameObject, Property, QueryObjects, QuerySelectorAll, ReleaseObjectGroup, RemoteObject,
        ResolveNode,
    },
};
