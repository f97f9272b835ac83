//! The methods of the store traits in one list, from which everything is made that treats all of them alike.

/// Hands the methods of the named store traits, or of all of them, to another macro of this crate. `$arguments` are
/// passed on.
///
/// A trait method that is missing here is a compile error: the traits are implemented with this list.
#[doc(hidden)]
#[macro_export]
macro_rules! store_methods {
    ($to:ident $arguments:tt) => {
        $crate::store_methods! {
            $to $arguments
            StoreClock TeamStore RateLimitStore SiteStore ScanStore QueueStore EventLog FileStore WebhookStore SealingStore
            HintStore SettingsStore
        }
    };
    ($to:ident $arguments:tt $($trait:ident)+) => {
        $crate::store_methods! { @gather $to $arguments {} $($trait)+ }
    };
    (@gather $to:ident $arguments:tt { $($gathered:tt)* }) => {
        $crate::$to! { @methods $arguments $($gathered)* }
    };
    (@gather $to:ident $arguments:tt { $($gathered:tt)* } StoreClock $($rest:ident)*) => {
        $crate::store_methods! { @gather $to $arguments {
            $($gathered)*
            StoreClock {
                fn now() -> Result<DateTime<Utc>, StoreError>;
            }
        } $($rest)* }
    };
    (@gather $to:ident $arguments:tt { $($gathered:tt)* } TeamStore $($rest:ident)*) => {
        $crate::store_methods! { @gather $to $arguments {
            $($gathered)*
            TeamStore {
                fn seed_plans(plans: &[Plan]) -> Result<bool, StoreError>;
                fn add_missing_plans(plans: &[Plan]) -> Result<Vec<Plan>, StoreError>;
                fn put_plans(plans: &[Plan]) -> Result<Vec<ShortenedHistory>, StoreError>;
                fn delete_plan(code: &PlanCode) -> Result<bool, DeletePlanError>;
                fn plans() -> Result<Vec<Plan>, StoreError>;
                fn create_team(team: NewTeam) -> Result<Team, UnknownPlan>;
                fn team_for(key: &ExternalKey, team: NewTeam) -> Result<Team, UnknownPlan>;
                fn team(id: TeamId) -> Result<Option<Team>, StoreError>;
                fn teams(page: PageRequest) -> Result<Page<Team>, StoreError>;
                fn set_standing(id: TeamId, standing: Standing) -> Result<bool, StoreError>;
                fn delete_team(id: TeamId) -> Result<bool, StoreError>;
                fn change_plan(id: TeamId, plan: &PlanCode, subscription: Subscription) -> Result<bool, UnknownPlan>;
                fn purge_held_until(team: TeamId) -> Result<Option<DateTime<Utc>>, StoreError>;
                fn brand(team: TeamId) -> Result<TeamBrand, StoreError>;
                fn set_brand(team: TeamId, brand: TeamBrand) -> Result<bool, StoreError>;
                fn create_token(team: TeamId, token: NewToken) -> Result<Option<ApiToken>, StoreError>;
                fn tokens(team: TeamId) -> Result<Vec<ApiToken>, StoreError>;
                fn delete_token(team: TeamId, id: TokenId) -> Result<bool, StoreError>;
            }
        } $($rest)* }
    };
    (@gather $to:ident $arguments:tt { $($gathered:tt)* } RateLimitStore $($rest:ident)*) => {
        $crate::store_methods! { @gather $to $arguments {
            $($gathered)*
            RateLimitStore {
                fn admit_token(hash: &TokenHash, class: RequestClass) -> Result<Option<AdmittedToken>, StoreError>;
                fn note_token_use(token: TokenId, on: NaiveDate) -> Result<(), StoreError>;
                fn give_back_token(token: TokenId, class: RequestClass, counted_at: DateTime<Utc>)
                    -> Result<Option<RateDecision>, StoreError>;
                fn admit_address(address: IpAddr, class: RequestClass, limits: RateLimits)
                    -> Result<(RateDecision, DateTime<Utc>), StoreError>;
            }
        } $($rest)* }
    };
    (@gather $to:ident $arguments:tt { $($gathered:tt)* } SiteStore $($rest:ident)*) => {
        $crate::store_methods! { @gather $to $arguments {
            $($gathered)*
            SiteStore {
                fn add_site(team: TeamId, site: NewSite, first_scan: Option<ScanId>) -> Result<Site, AddSiteError>;
                fn add_site_once(team: TeamId, site: NewSite, first_scan: Option<ScanId>)
                    -> Result<AddedOnce, AddSiteError>;
                fn site(team: TeamId, id: SiteId) -> Result<Option<Site>, StoreError>;
                fn sites(team: TeamId, tag: Option<&str>, page: PageRequest) -> Result<Page<Site>, StoreError>;
                fn failing_sites(team: TeamId, tag: Option<&str>, page: PageRequest)
                    -> Result<Page<Site>, StoreError>;
                fn change_site(team: TeamId, id: SiteId, details: SiteDetails) -> Result<Option<Site>, StoreError>;
                fn delete_site(team: TeamId, id: SiteId) -> Result<bool, StoreError>;
                fn site_usage(team: TeamId) -> Result<SiteUsage, StoreError>;
            }
        } $($rest)* }
    };
    (@gather $to:ident $arguments:tt { $($gathered:tt)* } ScanStore $($rest:ident)*) => {
        $crate::store_methods! { @gather $to $arguments {
            $($gathered)*
            ScanStore {
                fn start_manual_scan(team: TeamId, site: SiteId, id: ScanId, depth: Depth)
                    -> Result<Scan, StartScanError>;
                fn scan(team: TeamId, id: ScanId) -> Result<Option<Scan>, StoreError>;
                fn scans(team: TeamId, site: SiteId, page: PageRequest) -> Result<Option<Page<Scan>>, StoreError>;
                fn latest_completed(team: TeamId, site: SiteId) -> Result<Option<Scan>, StoreError>;
                fn latest_problems(team: TeamId) -> Result<Vec<(SiteId, u64)>, StoreError>;
                fn findings(team: TeamId, scan: ScanId) -> Result<Option<Findings>, StoreError>;
                fn trend(team: TeamId, scan: ScanId, limit: u32) -> Result<Vec<TrendPoint>, StoreError>;
                fn mark_express(team: TeamId, scan: ScanId) -> Result<bool, StoreError>;
                fn purge_scans(limit: u32) -> Result<u32, StoreError>;
            }
        } $($rest)* }
    };
    (@gather $to:ident $arguments:tt { $($gathered:tt)* } QueueStore $($rest:ident)*) => {
        $crate::store_methods! { @gather $to $arguments {
            $($gathered)*
            QueueStore {
                fn queue_due_scans(limit: u32) -> Result<DueSites, StoreError>;
                fn claim_scan(worker: &WorkerId, term: TimeDelta) -> Result<Option<ClaimedScan>, StoreError>;
                fn renew_lease(claim: Claim, term: TimeDelta, pages: PageCounts) -> Result<(), LeaseError>;
                fn hand_back(claim: Claim) -> Result<(), LeaseError>;
                fn retry_scan(claim: Claim, delay: TimeDelta, next: RetryBy) -> Result<(), LeaseError>;
                fn complete_scan(claim: Claim, completion: Completion) -> Result<Scan, LeaseError>;
                fn memo(team: TeamId, site: SiteId, scan: ScanId) -> Result<Option<Memo>, StoreError>;
                fn fail_scan(claim: Claim, failure: Failure) -> Result<Scan, LeaseError>;
                fn running_scans(limit: u32) -> Result<Vec<Scan>, StoreError>;
                fn queue_depth() -> Result<QueueDepth, StoreError>;
            }
        } $($rest)* }
    };
    (@gather $to:ident $arguments:tt { $($gathered:tt)* } EventLog $($rest:ident)*) => {
        $crate::store_methods! { @gather $to $arguments {
            $($gathered)*
            EventLog {
                fn newest_scan_event() -> Result<u64, StoreError>;
                fn scan_events(after: u64, limit: u32) -> Result<EventPage, ReadEventsError>;
                fn purge_scan_events(limit: u32) -> Result<u32, StoreError>;
            }
        } $($rest)* }
    };
    (@gather $to:ident $arguments:tt { $($gathered:tt)* } FileStore $($rest:ident)*) => {
        $crate::store_methods! { @gather $to $arguments {
            $($gathered)*
            FileStore {
                fn screenshot(team: TeamId, scan: ScanId, id: ScreenshotId) -> Result<Option<Screenshot>, StoreError>;
                fn screen(team: TeamId, scan: ScanId) -> Result<Option<Screenshot>, StoreError>;
                fn document(team: TeamId, scan: ScanId, key: DocumentKey) -> Result<Option<Document>, StoreError>;
                fn put_document(team: TeamId, scan: ScanId, key: DocumentKey, document: Document)
                    -> Result<bool, StoreError>;
                fn files_ready() -> Result<(), StoreError>;
            }
        } $($rest)* }
    };
    (@gather $to:ident $arguments:tt { $($gathered:tt)* } WebhookStore $($rest:ident)*) => {
        $crate::store_methods! { @gather $to $arguments {
            $($gathered)*
            WebhookStore {
                fn create_endpoint(team: TeamId, endpoint: NewEndpoint) -> Result<WebhookEndpoint, CreateEndpointError>;
                fn endpoints(team: TeamId) -> Result<Vec<WebhookEndpoint>, StoreError>;
                fn change_endpoint(team: TeamId, id: EndpointId, details: EndpointDetails)
                    -> Result<Option<WebhookEndpoint>, StoreError>;
                fn rotate_secret(team: TeamId, id: EndpointId, secret: Sealed, overlap: TimeDelta)
                    -> Result<bool, StoreError>;
                fn enable_endpoint(team: TeamId, id: EndpointId) -> Result<Option<WebhookEndpoint>, StoreError>;
                fn disable_endpoint(team: TeamId, id: EndpointId) -> Result<Option<WebhookEndpoint>, StoreError>;
                fn delete_endpoint(team: TeamId, id: EndpointId) -> Result<bool, StoreError>;
                fn send_event(team: TeamId, endpoint: EndpointId, event: NewEvent) -> Result<Delivery, SendError>;
                fn resend_delivery(team: TeamId, delivery: DeliveryId) -> Result<Delivery, SendError>;
                fn resend_failed(team: TeamId, endpoint: EndpointId, since: DateTime<Utc>, limit: u32)
                    -> Result<Resent, SendError>;
                fn delivery_log(team: TeamId, filter: &DeliveryFilter, page: PageRequest)
                    -> Result<Page<Delivery>, StoreError>;
                fn deliveries(team: TeamId, endpoint: EndpointId, page: PageRequest)
                    -> Result<Option<Page<Delivery>>, StoreError>;
                fn delivery(team: TeamId, id: DeliveryId) -> Result<Option<Delivery>, StoreError>;
                fn attempts(team: TeamId, delivery: DeliveryId) -> Result<Option<Vec<Attempt>>, StoreError>;
                fn claim_deliveries(worker: &WorkerId, limits: ClaimLimits, term: TimeDelta, keys: &[KeyId])
                    -> Result<Vec<ClaimedDelivery>, StoreError>;
                fn record_attempt(claim: DeliveryClaim, report: AttemptReport) -> Result<Delivery, RecordError>;
                fn purge_deliveries(limit: u32) -> Result<u32, StoreError>;
                fn endpoints_off(limit: u32) -> Result<Vec<WebhookEndpoint>, StoreError>;
                fn delivery_depth() -> Result<DeliveryDepth, StoreError>;
            }
        } $($rest)* }
    };
    (@gather $to:ident $arguments:tt { $($gathered:tt)* } SealingStore $($rest:ident)*) => {
        $crate::store_methods! { @gather $to $arguments {
            $($gathered)*
            SealingStore {
                fn sealed_by_key() -> Result<BTreeMap<KeyId, u64>, StoreError>;
                fn sealed_otherwise(key: KeyId, limit: u32) -> Result<Vec<SealedValue>, StoreError>;
                fn reseal(values: Vec<(SealedValue, Sealed)>) -> Result<u64, StoreError>;
                fn unsealed(limit: u32) -> Result<Vec<UnsealedValue>, StoreError>;
                fn seal(values: Vec<(UnsealedValue, Sealed)>) -> Result<u64, StoreError>;
            }
        } $($rest)* }
    };
    (@gather $to:ident $arguments:tt { $($gathered:tt)* } HintStore $($rest:ident)*) => {
        $crate::store_methods! { @gather $to $arguments {
            $($gathered)*
            HintStore {
                fn hint(work: Work);
            }
        } $($rest)* }
    };
    (@gather $to:ident $arguments:tt { $($gathered:tt)* } SettingsStore $($rest:ident)*) => {
        $crate::store_methods! { @gather $to $arguments {
            $($gathered)*
            SettingsStore {
                fn settings() -> Result<BTreeMap<SharedSetting, String>, StoreError>;
                fn settle_setting(setting: SharedSetting, value: &str) -> Result<String, StoreError>;
                fn replace_setting(setting: SharedSetting, value: &str) -> Result<Option<String>, StoreError>;
                fn remove_setting(setting: SharedSetting) -> Result<Option<String>, StoreError>;
            }
        } $($rest)* }
    };
    (@gather $to:ident $arguments:tt $gathered:tt $unknown:ident $($rest:ident)*) => {
        compile_error!(concat!("the store has no trait `", stringify!($unknown), "`"));
    };
}
