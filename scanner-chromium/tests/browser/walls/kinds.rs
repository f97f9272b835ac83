//! Walls as their makers build them: the marks are theirs, the words are ours.

use a11ycheck_core::domain::FailureCode;

use crate::support::Reply;

/// A page in place of a site's.
pub(super) struct Wall {
    pub(super) path: &'static str,
    pub(super) code: FailureCode,
    /// Header lines that each end with a line break.
    headers: &'static str,
    status: u16,
    head: &'static str,
    body: &'static str,
}

const fn wall(path: &'static str, code: FailureCode, head: &'static str, body: &'static str) -> Wall {
    Wall { path, code, headers: "", status: 200, head, body }
}

const fn challenge(path: &'static str, head: &'static str, body: &'static str) -> Wall {
    wall(path, FailureCode::BotChallenge, head, body)
}

/// Returns the response of the site at a wall's path.
pub(super) fn reply(path: &str) -> Option<Reply> {
    let Wall { headers, status, head, body, .. } = WALLS.iter().find(|wall| wall.path == path)?;
    let html =
        format!("<!DOCTYPE html><html lang=en><head><meta charset=utf-8>{head}</head><body>{body}</body></html>");
    let headers = format!("Content-Type: text/html; charset=utf-8\r\n{headers}");
    Some(Reply::Whole(*status, headers, html.into_bytes()))
}

pub(super) const WALLS: &[Wall] = &[
    Wall {
        headers: "cf-mitigated: challenge\r\n",
        ..challenge("/w/cloudflare-header", "<title>Just a moment...</title>", "<p>Waiting for the site to respond</p>")
    },
    challenge(
        "/w/cloudflare",
        "<title>Just a moment...</title><meta name=robots content=noindex,nofollow>",
        "<h1>shop.example</h1><h2>Verifying you are human. This may take a few seconds.</h2>
         <script>window._cf_chl_opt = { cType: 'managed' };
         const s = document.createElement('script'); s.src = '/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=1';
         document.head.appendChild(s)</script>",
    ),
    challenge(
        "/w/datadome",
        "<title>shop.example</title>",
        "<p id=cmsg>Please enable JS and disable any ad blocker</p>
         <script>var dd = {'rt': 'c', 'host': 'geo.captcha-delivery.com'}</script>
         <script src='https://ct.captcha-delivery.com/c.js'></script>",
    ),
    challenge(
        "/w/human",
        "<title>Access to this page has been denied</title>",
        "<h1>Before we continue</h1><p>Press and hold to confirm you are a human (and not a bot).</p><div id=px-captcha></div>",
    ),
    challenge(
        "/w/akamai",
        "<title>&nbsp;</title>",
        "<div id=sec-if-cpt-container><p>Checking</p></div><script src=/_sec/cp_challenge/sec-4-4.js></script>",
    ),
    Wall {
        status: 202,
        headers: "x-amzn-waf-action: challenge\r\n",
        ..challenge("/w/aws-header", "<title></title>", "<div id=challenge-container></div>")
    },
    challenge(
        "/w/aws",
        "<title>Human Verification</title>",
        "<div id=captcha-container><p>Confirm that you are human.</p></div><script>window.gokuProps = {key: 'x'}</script>",
    ),
    challenge(
        "/w/imperva",
        "<title></title><meta name=robots content='noindex, nofollow'>",
        "<iframe id=main-iframe src='/_Incapsula_Resource?CWUDNSAI=9&xinfo=1' width=100% height=400>
         Request unsuccessful. Incapsula incident ID: 1</iframe>",
    ),
    challenge(
        "/w/sucuri",
        "<title>You are being redirected...</title>",
        "<noscript>Javascript is required.</noscript><p>You are being redirected…</p>
         <script>var sucuri_cloudproxy_js = ''; document.cookie = 'sucuri_cloudproxy_uuid_1=2'</script>",
    ),
    challenge(
        "/w/anubis",
        "<title>Making sure you're not a bot!</title>",
        "<h1>Making sure you're not a bot!</h1><p>Calculating…</p>
         <script id=anubis_challenge type=application/json>{\"rules\":{}}</script>",
    ),
    challenge(
        "/w/hcaptcha",
        "<title>One more step</title>",
        "<h1>One more step</h1><p>Please complete the security check to go on.</p>
         <form method=post><div class=h-captcha data-sitekey=x></div><input type=submit value=Continue></form>",
    ),
    challenge(
        "/w/turnstile",
        "<title>Sicherheit</title>",
        "<h1>Bestätigen Sie, dass Sie ein Mensch sind</h1><div class=cf-turnstile data-sitekey=x></div>",
    ),
    challenge(
        "/w/unnamed",
        "<title>Checking your browser</title><meta http-equiv=refresh content='600'>",
        "<p>Checking your browser before accessing shop.example. You will be redirected in a moment.</p>",
    ),
    wall(
        "/w/parked",
        FailureCode::Parked,
        "<title>shop.example</title><script src='https://www.google.com/adsense/domains/caf.js?abp=1'></script>",
        "<h1>shop.example</h1><p>Related searches</p><ul><li><a href='/w/parked?q=lamps'>Lamps</a></li>
         <li><a href='/w/parked?q=chairs'>Chairs</a></li></ul><p>The domain owner may sell this domain.</p>",
    ),
    wall(
        "/w/lander",
        FailureCode::Parked,
        "<title>shop.example</title><script>window.LANDER_SYSTEM = 'PW'</script>
         <script src='https://img1.wsimg.com/parking-lander/static/js/main.js'></script>",
        "<div id=root></div>",
    ),
    wall(
        "/w/for-sale",
        FailureCode::Parked,
        "<title>127.0.0.1 is for sale</title>",
        "<h1>The domain 127.0.0.1 is for sale!</h1><a href='https://sedo.com/search/details/?domain=x'>Make an offer</a>",
    ),
    Wall {
        headers: "Retry-After: 3600\r\n",
        ..wall("/w/maintenance", FailureCode::Maintenance, "<title>Shop</title>", "<h1>We are working on it</h1>")
    },
    wall(
        "/w/maintenance-refresh",
        FailureCode::Maintenance,
        "<title>Site under maintenance</title><meta http-equiv=refresh content=600>",
        "<h1>We’ll be back soon</h1><p>Our shop is down for maintenance.</p>",
    ),
    wall(
        "/w/consent-manager",
        FailureCode::ConsentWall,
        "<title>Shop</title>",
        "<div id=didomi-host><div role=dialog aria-modal=true aria-label=Consent
           style='position:fixed;inset:0;background:#fff'><p>We and our 842 partners store data on your device.</p>
           <button>Agree</button><button>Disagree</button></div></div>",
    ),
    wall(
        "/w/consent-hides",
        FailureCode::ConsentWall,
        "<title>Shop</title>",
        "<div class=cookie-wall><h1>Your privacy</h1><p>Diese Website verwendet Cookies. Bitte willigen Sie ein.</p>
         <button>Alle akzeptieren</button></div>
         <main style='display:none'><h2>Lamps</h2><p>Twelve lamps, each of them made by hand in our own workshop, and chairs
         to sit on while you look at them. Come and see us on Saturdays.</p></main>",
    ),
];
