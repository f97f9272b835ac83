//! The requests that tests make to a service in the name of a team.

use std::collections::BTreeSet;

use a11ycheck_api_v1::endpoint_details;
use a11ycheck_core::{
    Error, Service,
    domain::{
        Ability, ApiToken, Attempt, Delivery, EndpointDetails, EndpointSecret, EventKind, PlainToken, PlanCode,
        RequestClass, Scan, Site, SiteInput, SiteUrl, Subscription, Team, TeamBrand, WebhookEndpoint,
    },
    export::Artifact,
    id::{DeliveryId, EndpointId, ScanId, SiteId, TeamId, TokenId},
    locale::Locale,
    paging::PageRequest,
    report::{PictureId, Report},
    scanner::Screenshot,
    service::{Account, Caller, MadeFile, OperatedTeam, ScanTarget, TeamHandle, TeamInput, TokenInput},
};
use chrono::TimeDelta;

/// A team of a service. The tests across the parts call the service's use-cases through it, so that the way in which
/// these are called is in one file.
///
/// Its methods panic if the service refuses. Those that return a [`Result`] are for tests of refusals.
#[derive(Debug, Clone)]
pub struct TestTeam {
    service: Service,
    created: Team,
    /// The token with which its requests are admitted; without one it acts as the service's host.
    token: Option<PlainToken>,
}

impl TestTeam {
    /// Creates a team on the plan with this code, without an end.
    pub async fn create(service: &Service, name: impl Into<String>, plan: &str) -> Self {
        Self::subscribed(service, name, plan, Subscription::ACTIVE).await
    }

    /// Creates a team on the plan with this code, on these terms.
    pub async fn subscribed(
        service: &Service,
        name: impl Into<String>,
        plan: &str,
        subscription: Subscription,
    ) -> Self {
        let input = TeamInput::new(name, PlanCode::new(plan)).with_subscription(subscription);
        let created = service.operator().create_team(input).await.unwrap();
        Self { service: service.clone(), created, token: None }
    }

    /// Returns all teams of the service, of which there are at most 100.
    pub async fn all(service: &Service) -> Vec<Self> {
        let teams = service.operator().teams(PageRequest::new(1, 100)).await.unwrap().items;
        teams.into_iter().map(|created| Self { service: service.clone(), created, token: None }).collect()
    }

    /// Returns the team's id.
    pub fn id(&self) -> TeamId {
        self.created.id
    }

    /// Returns the team as it was when it was created or listed.
    pub fn created(&self) -> &Team {
        &self.created
    }

    // Its terms, which the operator sets.

    /// Puts the team on a plan, on these terms.
    pub async fn change_plan(&self, plan: &str, terms: Subscription) {
        self.operated().await.change_plan(&PlanCode::new(plan), terms).await.unwrap();
    }

    /// Blocks the team.
    pub async fn block(&self) {
        self.operated().await.block().await.unwrap();
    }

    /// Lifts the block of the team.
    pub async fn unblock(&self) {
        self.operated().await.unblock().await.unwrap();
    }

    /// Marks a check as one whose express report was bought.
    pub async fn mark_express(&self, scan: ScanId) {
        self.operated().await.mark_express(scan).await.unwrap();
    }

    /// Returns the brand that was set.
    pub async fn brand(&self) -> TeamBrand {
        self.operated().await.handle().brand().await.unwrap()
    }

    /// Sets the brand.
    pub async fn set_brand(&self, brand: TeamBrand) {
        self.operated().await.handle().set_brand(brand).await.unwrap();
    }

    // Tokens.

    /// Creates a token with these abilities.
    pub async fn token(&self, abilities: &[Ability]) -> (ApiToken, PlainToken) {
        let input = TokenInput::new("Test", abilities.iter().copied());
        self.operated().await.handle().create_token(input).await.unwrap()
    }

    /// Returns the team's tokens.
    pub async fn tokens(&self) -> Vec<ApiToken> {
        self.operated().await.handle().tokens().await.unwrap()
    }

    /// Deletes a token.
    pub async fn delete_token(&self, token: TokenId) {
        self.operated().await.handle().delete_token(token).await.unwrap();
    }

    /// Returns the same team, whose requests are admitted with a new token that has these abilities.
    pub async fn with_token(&self, abilities: &[Ability]) -> Self {
        let (_, token) = self.token(abilities).await;
        Self { token: Some(token), ..self.clone() }
    }

    /// Returns the team as the operator reaches it, blocked or not.
    async fn operated(&self) -> OperatedTeam {
        self.service.operator().team(self.id()).await.unwrap()
    }

    /// Returns the team as its requests are admitted.
    async fn handle(&self) -> TeamHandle {
        if self.token.is_none() {
            return self.service.team(self.id()).await.unwrap();
        }
        let caller = Caller::new([127, 0, 0, 1].into()).with_token(self.token.clone());
        self.service.admit(&caller, RequestClass::File).await.unwrap().team.unwrap()
    }

    // Sites, checks and their files.

    /// Returns the team's account.
    pub async fn account(&self) -> Account {
        self.handle().await.account().await.unwrap()
    }

    /// Adds a site. Its first check is queued, unless the input says otherwise.
    pub async fn add_site(&self, input: SiteInput) -> Site {
        self.handle().await.add_site(input).await.unwrap().site
    }

    /// Queues a manual check of a site.
    pub async fn start_scan(&self, site: SiteId) -> Scan {
        self.handle().await.start_scan(site).await.unwrap()
    }

    /// Returns a check.
    pub async fn scan(&self, scan: ScanId) -> Scan {
        self.handle().await.scan(scan).await.unwrap()
    }

    /// Returns the newest check of a site.
    pub async fn newest_scan(&self, site: SiteId) -> Scan {
        self.handle().await.newest_scan(site).await.unwrap().unwrap()
    }

    /// Requests a file of a check, in the site's language if none is named.
    ///
    /// # Errors
    /// Those of [`TeamHandle::file`].
    pub async fn file(
        &self,
        target: impl Into<ScanTarget> + Send,
        artifact: Artifact,
        locale: impl Into<Option<Locale>> + Send,
    ) -> Result<MadeFile, Error> {
        self.handle().await.file(target, artifact, locale).await
    }

    /// Requests the report of a check, in the site's language.
    ///
    /// # Errors
    /// Those of [`TeamHandle::report`].
    pub async fn report(&self, scan: ScanId) -> Result<Report, Error> {
        self.handle().await.report(scan, None).await
    }

    /// Requests a picture of a check.
    ///
    /// # Errors
    /// Those of [`TeamHandle::picture`].
    pub async fn picture(&self, scan: ScanId, picture: PictureId) -> Result<Screenshot, Error> {
        self.handle().await.picture(scan, picture).await
    }

    // Webhooks.

    /// Creates an endpoint that listens to everything.
    pub async fn endpoint(&self, url: impl Into<String>) -> (EndpointId, EndpointSecret) {
        self.endpoint_for(url, &EventKind::SELECTABLE).await
    }

    /// Creates an endpoint that listens to these events.
    pub async fn endpoint_for(&self, url: impl Into<String>, events: &[EventKind]) -> (EndpointId, EndpointSecret) {
        let details = EndpointDetails::new(parsed(&url.into()), events.iter().copied());
        let (endpoint, secret) = self.operated().await.handle().create_endpoint(details).await.unwrap();
        (endpoint.id, secret)
    }

    /// Requests an endpoint that listens to everything, at an address as a person types it.
    ///
    /// # Errors
    /// Those of [`TeamHandle::create_endpoint`].
    pub async fn try_endpoint(&self, url: &str) -> Result<(WebhookEndpoint, EndpointSecret), Error> {
        let events: Vec<String> = EventKind::SELECTABLE.iter().map(ToString::to_string).collect();
        let details = endpoint_details(url, &events, &BTreeSet::new())?;
        self.operated().await.handle().create_endpoint(details).await
    }

    /// Returns the team's endpoints.
    pub async fn endpoints(&self) -> Vec<WebhookEndpoint> {
        self.operated().await.handle().endpoints().await.unwrap()
    }

    /// Changes the address of an endpoint; it listens to the same events.
    pub async fn move_endpoint(&self, endpoint: &WebhookEndpoint, url: &str) {
        let details = EndpointDetails::new(parsed(url), endpoint.details.events.clone());
        self.operated().await.handle().change_endpoint(endpoint.id, details).await.unwrap();
    }

    /// Switches an endpoint on.
    pub async fn enable_endpoint(&self, endpoint: EndpointId) -> WebhookEndpoint {
        self.operated().await.handle().enable_endpoint(endpoint).await.unwrap()
    }

    /// Gives an endpoint a new secret; the old one signs beside it for a while.
    pub async fn rotate_secret(&self, endpoint: EndpointId, overlap: TimeDelta) -> EndpointSecret {
        self.operated().await.handle().rotate_endpoint_secret(endpoint, overlap).await.unwrap()
    }

    /// Sends a test event to an endpoint.
    pub async fn ping(&self, endpoint: EndpointId) -> Delivery {
        self.try_ping(endpoint).await.unwrap()
    }

    /// Requests a test event.
    ///
    /// # Errors
    /// Those of [`TeamHandle::ping_endpoint`].
    pub async fn try_ping(&self, endpoint: EndpointId) -> Result<Delivery, Error> {
        self.operated().await.handle().ping_endpoint(endpoint).await
    }

    /// Sends the event of a delivery that has ended once more.
    pub async fn resend(&self, delivery: DeliveryId) -> Delivery {
        self.operated().await.handle().resend_delivery(delivery).await.unwrap()
    }

    /// Returns all deliveries to an endpoint, of which there are at most 100, the newest first.
    pub async fn deliveries(&self, endpoint: EndpointId) -> Vec<Delivery> {
        let page = PageRequest::new(1, PageRequest::MAX_PER_PAGE);
        let page = self.operated().await.handle().deliveries(endpoint, page).await.unwrap();
        assert_eq!(page.total, page.items.len() as u64, "there are more than fit on one page");
        page.items
    }

    /// Returns the log of a delivery's attempts.
    pub async fn attempts(&self, delivery: DeliveryId) -> Vec<Attempt> {
        self.operated().await.handle().delivery_attempts(delivery).await.unwrap()
    }
}

fn parsed(url: &str) -> SiteUrl {
    SiteUrl::typed(url).unwrap()
}
