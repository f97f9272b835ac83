//! The one table of pages: method, path, who may, and which page it is.

/// The method of a route. `HEAD` is answered as `GET`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Reads.
    Get,
    /// Changes something; protected against forged requests, or by a secret: [`Route::is_one_click`].
    Post,
}

/// The people who may use a route. Core decides again by the rights of the person's role; this is what is decided before a page is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anybody.
    Anyone,
    /// Whoever is signed in.
    SignedIn,
    /// Members of the team in the path, whatever their role.
    Viewer,
    /// Members of the team who may start checks and add sites.
    Member,
    /// Owners of the team.
    Owner,
    /// Operators of the installation.
    Operator,
}

/// A route of the interface.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Route {
    /// The method.
    pub verb: Verb,
    /// The path below the root; words in braces stand for any segment.
    pub path: &'static str,
    /// The people who may use it.
    pub access: Access,
    pub(crate) page: Page,
}

impl Route {
    /// Returns whether requests are taken that no page of the interface makes: programs for mail make them, in nobody's name, and a
    /// secret in the address is what protects the route (RFC 8058).
    pub fn is_one_click(&self) -> bool {
        self.page == Page::SwitchNoticesOff
    }
}

/// Declares the pages with their routes.
macro_rules! pages {
    ($($page:ident = $verb:ident $path:literal $access:ident;)*) => {
        /// The page or the deed to which a route leads.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Page {
            $($page,)*
        }

        const ROUTES: &[Route] = &[
            $(Route { verb: Verb::$verb, path: $path, access: Access::$access, page: Page::$page },)*
        ];
    };
}

pages! {
    Home = Get "" Anyone;
    Asset = Get "/assets/{name}" Anyone;
    SetLanguage = Post "/language" Anyone;
    SignIn = Get "/sign-in" Anyone;
    DoSignIn = Post "/sign-in" Anyone;
    SecondStep = Get "/sign-in/code" Anyone;
    DoSecondStep = Post "/sign-in/code" Anyone;
    Provider = Get "/sign-in/provider" Anyone;
    ProviderAnswer = Get "/sign-in/provider/answer" Anyone;
    First = Get "/first" Anyone;
    DoFirst = Post "/first" Anyone;
    Join = Get "/join" Anyone;
    DoJoin = Post "/join" Anyone;
    Forgotten = Get "/forgotten" Anyone;
    DoForgotten = Post "/forgotten" Anyone;
    NewPassword = Get "/new-password" Anyone;
    DoNewPassword = Post "/new-password" Anyone;
    NoNotices = Get "/no-notices" Anyone;
    SwitchNoticesOff = Post "/no-notices" Anyone;
    Shared = Get "/shared" Anyone;

    DoSignOut = Post "/sign-out" SignedIn;
    Teams = Get "/teams" SignedIn;
    Profile = Get "/profile" SignedIn;
    SetPassword = Post "/profile/password" SignedIn;
    SetNotices = Post "/profile/notices" SignedIn;
    SecondFactor = Get "/profile/second-factor" SignedIn;
    EnableSecondFactor = Post "/profile/second-factor" SignedIn;
    ReplaceRecoveryCodes = Post "/profile/second-factor/codes" SignedIn;
    DisableSecondFactor = Post "/profile/second-factor/off" SignedIn;
    EndSession = Post "/profile/sessions/{session}/end" SignedIn;
    EndSessions = Post "/profile/sessions/end-others" SignedIn;

    Team = Get "/teams/{team}" Viewer;
    Sites = Get "/teams/{team}/sites" Viewer;
    AddSite = Get "/teams/{team}/add-site" Member;
    DoAddSite = Post "/teams/{team}/add-site" Member;
    RollUp = Get "/teams/{team}/roll-up" Viewer;
    ExportSites = Get "/teams/{team}/export-sites" Viewer;
    ImportSites = Get "/teams/{team}/import-sites" Member;
    DoImportSites = Post "/teams/{team}/import-sites" Member;
    SiteFields = Get "/teams/{team}/fields" Owner;
    AddSiteField = Post "/teams/{team}/fields" Owner;
    SiteField = Get "/teams/{team}/fields/{field}" Owner;
    ChangeSiteField = Post "/teams/{team}/fields/{field}" Owner;
    DeleteSiteField = Get "/teams/{team}/fields/{field}/delete" Owner;
    DoDeleteSiteField = Post "/teams/{team}/fields/{field}/delete" Owner;
    Site = Get "/teams/{team}/sites/{site}" Viewer;
    EditSite = Get "/teams/{team}/sites/{site}/edit" Member;
    DoEditSite = Post "/teams/{team}/sites/{site}/edit" Member;
    StartCheck = Post "/teams/{team}/sites/{site}/check" Member;
    DeleteSite = Get "/teams/{team}/sites/{site}/delete" Owner;
    DoDeleteSite = Post "/teams/{team}/sites/{site}/delete" Owner;
    Check = Get "/teams/{team}/checks/{check}" Viewer;
    CheckProgress = Get "/teams/{team}/checks/{check}/progress" Viewer;
    CheckPicture = Get "/teams/{team}/checks/{check}/pictures/{picture}" Viewer;
    CheckFile = Get "/teams/{team}/checks/{check}/files/{file}" Viewer;
    Elements = Get "/teams/{team}/checks/{check}/elements" Viewer;
    Share = Get "/teams/{team}/checks/{check}/share" Member;
    DoShare = Post "/teams/{team}/checks/{check}/share" Member;
    RevokeShare = Post "/teams/{team}/checks/{check}/share/{link}/revoke" Member;
    SetSharing = Post "/teams/{team}/checks/{check}/sharing" Owner;
    Judge = Get "/teams/{team}/checks/{check}/elements/{element}/decide" Member;
    DoJudge = Post "/teams/{team}/checks/{check}/elements/{element}/decide" Member;
    Assign = Get "/teams/{team}/checks/{check}/elements/{element}/assign" Member;
    DoAssign = Post "/teams/{team}/checks/{check}/elements/{element}/assign" Member;
    Bulk = Get "/teams/{team}/checks/{check}/bulk" Member;
    DoBulk = Post "/teams/{team}/checks/{check}/bulk" Member;
    UndoBulk = Post "/teams/{team}/checks/{check}/bulk/{batch}/undo" Member;
    Judgements = Get "/teams/{team}/sites/{site}/decisions" Viewer;
    UndoJudgement = Post "/teams/{team}/sites/{site}/decisions/{decision}/undo" Member;
    DropStaleJudgements = Post "/teams/{team}/sites/{site}/decisions/remove-stale" Member;
    Criteria = Get "/teams/{team}/sites/{site}/criteria" Viewer;
    AssessCriteria = Get "/teams/{team}/sites/{site}/criteria/{step}" Member;
    DoAssessCriteria = Post "/teams/{team}/sites/{site}/criteria/{step}" Member;
    Work = Get "/teams/{team}/work" Viewer;
    Assignment = Get "/teams/{team}/work/{assignment}" Member;
    ChangeAssignment = Post "/teams/{team}/work/{assignment}" Member;
    RemoveAssignment = Post "/teams/{team}/work/{assignment}/remove" Member;
    Usage = Get "/teams/{team}/usage" Viewer;

    Members = Get "/teams/{team}/members" Viewer;
    Invite = Post "/teams/{team}/members/invite" Owner;
    SetTwoSteps = Post "/teams/{team}/members/two-steps" Owner;
    ChangeRole = Post "/teams/{team}/members/{person}/role" Owner;
    RemoveMember = Post "/teams/{team}/members/{person}/remove" Viewer;
    WithdrawInvitation = Post "/teams/{team}/invitations/{invitation}/withdraw" Owner;
    Tokens = Get "/teams/{team}/tokens" Owner;
    CreateToken = Post "/teams/{team}/tokens" Owner;
    DeleteToken = Post "/teams/{team}/tokens/{token}/delete" Owner;
    Endpoints = Get "/teams/{team}/endpoints" Owner;
    CreateEndpoint = Post "/teams/{team}/endpoints" Owner;
    Endpoint = Get "/teams/{team}/endpoints/{endpoint}" Owner;
    ChangeEndpoint = Post "/teams/{team}/endpoints/{endpoint}/change" Owner;
    RotateSecret = Post "/teams/{team}/endpoints/{endpoint}/rotate" Owner;
    PingEndpoint = Post "/teams/{team}/endpoints/{endpoint}/ping" Owner;
    EnableEndpoint = Post "/teams/{team}/endpoints/{endpoint}/enable" Owner;
    DisableEndpoint = Post "/teams/{team}/endpoints/{endpoint}/disable" Owner;
    DeleteEndpoint = Post "/teams/{team}/endpoints/{endpoint}/delete" Owner;
    ResendFailed = Post "/teams/{team}/endpoints/{endpoint}/resend-failed" Owner;
    Deliveries = Get "/teams/{team}/deliveries" Owner;
    Delivery = Get "/teams/{team}/deliveries/{delivery}" Owner;
    Resend = Post "/teams/{team}/deliveries/{delivery}/resend" Owner;
    Brand = Get "/teams/{team}/brand" Owner;
    SetBrand = Post "/teams/{team}/brand" Owner;
    BrandLogo = Get "/teams/{team}/brand/logo" Owner;
    SetBrandLogo = Post "/teams/{team}/brand/logo" Owner;
    Audit = Get "/teams/{team}/audit" Owner;

    Operator = Get "/operator" Operator;
    CreateTeam = Post "/operator/teams" Operator;
    OperatedTeam = Get "/operator/teams/{team}" Operator;
    ChangePlan = Post "/operator/teams/{team}/plan" Operator;
    BlockTeam = Post "/operator/teams/{team}/block" Operator;
    UnblockTeam = Post "/operator/teams/{team}/unblock" Operator;
    People = Get "/operator/people" Operator;
    OperatorAudit = Get "/operator/audit" Operator;
}

/// Returns all routes: for tests that go through them.
pub const fn routes() -> &'static [Route] {
    ROUTES
}

/// Returns the path of the route, with words in braces, that a path below the root has: for the labels of metrics.
pub fn path_of(path: &str) -> Option<&'static str> {
    [Verb::Get, Verb::Post].into_iter().find_map(|verb| find(verb, path)).map(|found| found.route.path)
}

/// A route that was found, with what stands for the words in braces.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    pub(crate) route: &'static Route,
    values: Vec<&'a str>,
}

impl<'a> Found<'a> {
    /// Returns the first value: the team, in routes of teams.
    pub(crate) fn first(&self) -> &'a str {
        self.values.first().copied().unwrap_or_default()
    }

    /// Returns the second value.
    pub(crate) fn second(&self) -> &'a str {
        self.values.get(1).copied().unwrap_or_default()
    }

    /// Returns the third value.
    pub(crate) fn third(&self) -> &'a str {
        self.values.get(2).copied().unwrap_or_default()
    }
}

/// Finds the route of a path below the root.
pub(crate) fn find(verb: Verb, path: &str) -> Option<Found<'_>> {
    let path = path.strip_suffix('/').unwrap_or(path);
    ROUTES.iter().filter(|route| route.verb == verb).find_map(|route| {
        let values = matched(route.path, path)?;
        Some(Found { route, values })
    })
}

/// Returns the nearest path at or above a path below the root at which there is a page to be read, and no file or redirect.
pub(crate) fn page_above(path: &str) -> &str {
    let mut above = path.strip_suffix('/').unwrap_or(path);
    while !find(Verb::Get, above).is_some_and(|found| found.route.page.is_read()) {
        let Some((shorter, _)) = above.rsplit_once('/') else { return "" };
        above = shorter;
    }
    above
}

impl Page {
    /// Returns whether a request that reads it is answered with a page of the interface, whatever its query is: the page about
    /// elements that were chosen is none without them.
    const fn is_read(self) -> bool {
        !matches!(
            self,
            Self::Asset
                | Self::SecondStep
                | Self::Provider
                | Self::ProviderAnswer
                | Self::ExportSites
                | Self::Bulk
                | Self::CheckProgress
                | Self::CheckPicture
                | Self::CheckFile
                | Self::BrandLogo
        )
    }
}

fn matched<'a>(pattern: &str, path: &'a str) -> Option<Vec<&'a str>> {
    let (mut wanted, mut given) = (pattern.split('/'), path.split('/'));
    let mut values = Vec::new();
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return Some(values),
            (Some(word), Some(segment)) if word.starts_with('{') && !segment.is_empty() => values.push(segment),
            (Some(word), Some(segment)) if word == segment => {}
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_to_its_page_and_no_other() {
        let page = |verb, path| find(verb, path).map(|found| found.route.page);
        assert_eq!(page(Verb::Get, ""), Some(Page::Home));
        assert_eq!(page(Verb::Get, "/"), Some(Page::Home));
        assert_eq!(page(Verb::Get, "/teams/team_1/sites/site_2"), Some(Page::Site));
        assert_eq!(page(Verb::Post, "/teams/team_1/sites/site_2"), None);
        assert_eq!(page(Verb::Post, "/profile/sessions/end-others"), Some(Page::EndSessions));
        assert_eq!(page(Verb::Get, "/teams//sites"), None);
        assert_eq!(page(Verb::Get, "/teams/team_1/sites/"), Some(Page::Sites));
        let found = find(Verb::Get, "/teams/team_1/checks/scan_2/files/report.pdf").unwrap();
        assert_eq!((found.first(), found.second(), found.third()), ("team_1", "scan_2", "report.pdf"));
    }

    #[test]
    fn the_page_of_a_form_is_above_the_path_that_it_is_sent_to() {
        for (path, page) in [
            ("/profile/password", "/profile"),
            ("/profile/second-factor/codes", "/profile/second-factor"),
            ("/sign-in/code", "/sign-in"),
            ("/language", ""),
            ("/nowhere/at/all", ""),
            ("/operator/teams/team_1/plan", "/operator/teams/team_1"),
            ("/teams/team_1/brand/logo", "/teams/team_1/brand"),
            ("/teams/team_1/endpoints/hook_2/rotate", "/teams/team_1/endpoints/hook_2"),
            ("/teams/team_1/checks/scan_2/elements/3/decide", "/teams/team_1/checks/scan_2/elements/3/decide"),
            ("/teams/team_1/checks/scan_2/bulk", "/teams/team_1/checks/scan_2"),
            ("/teams/team_1/sites/", "/teams/team_1/sites"),
        ] {
            assert_eq!(page_above(path), page, "{path}");
        }
    }

    #[test]
    fn no_two_routes_are_the_same() {
        for (index, route) in ROUTES.iter().enumerate() {
            let others = &ROUTES[index + 1..];
            assert!(!others.iter().any(|other| (other.verb, other.path) == (route.verb, route.path)), "{}", route.path);
        }
    }
}
