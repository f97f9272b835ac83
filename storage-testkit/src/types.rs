//! The types in the expansions of [`store_methods!`](crate::store_methods).

pub use std::{collections::BTreeMap, net::IpAddr};

pub use a11ycheck_core::{
    domain::{
        ApiToken, Attempt, AttemptReport, Delivery, Depth, EndpointDetails, ExternalKey, Failure, Findings, Memo,
        NewEndpoint, NewEvent, NewSite, NewTeam, NewToken, PageCounts, Plan, PlanCode, RateDecision, RateLimits,
        RequestClass, RetryBy, Scan, ScreenshotId, SharedSetting, ShortenedHistory, Site, SiteDetails, Standing,
        Subscription, Team, TeamBrand, TokenHash, WebhookEndpoint,
    },
    id::{DeliveryId, EndpointId, ScanId, SiteId, TeamId, TokenId, WorkerId},
    paging::{Page, PageRequest},
    scanner::Screenshot,
    sealing::{KeyId, Sealed},
    store::{
        AddSiteError, AddedOnce, AdmittedToken, Claim, ClaimLimits, ClaimedDelivery, ClaimedScan, Completion,
        CreateEndpointError, DeletePlanError, DeliveryClaim, DeliveryDepth, DeliveryFilter, Document, DocumentKey,
        DueSites, EventLog, EventPage, FileStore, HintStore, LeaseError, QueueDepth, QueueStore, RateLimitStore,
        ReadEventsError, RecordError, Resent, ScanStore, SealedValue, SealingStore, SendError, SettingsStore,
        SiteStore, SiteUsage, StartScanError, StoreClock, StoreError, TeamStore, TrendPoint, UnknownPlan,
        UnsealedValue, WebhookStore, Work,
    },
};
pub use async_trait::async_trait;
pub use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
