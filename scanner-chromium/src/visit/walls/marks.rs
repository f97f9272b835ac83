//! Marks of products that put pages of their own in place of a site's.
//!
//! A mark is something that the product's own pages need to work, and that the pages behind it do not have. Many
//! products also add a script to the pages that they let through; such scripts are no marks.

/// The meaning of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A bot check of this product.
    Challenge(&'static str),
    /// A field of this product in which visitors show that they are human. Good pages have it beside other content.
    Captcha(&'static str),
    /// A domain without a site.
    Parking,
    /// A market for domains.
    DomainMarket,
    /// An extension that shows a maintenance page; some show a welcome page with it.
    Maintenance,
    /// A script that reloads the page once it has set a cookie.
    Reload,
}

/// A mark in a document: one of its selectors matches, or one of its parts is in an inline script of the page.
#[derive(Debug)]
pub(super) struct Mark {
    pub(super) kind: Kind,
    pub(super) selectors: &'static [&'static str],
    pub(super) inline: &'static [&'static str],
}

/// A header with which a product says that the response is a challenge.
pub(super) struct HeaderMark {
    /// The name, in lower case.
    pub(super) name: &'static str,
    /// The values of which it has one, in any case.
    pub(super) values: &'static [&'static str],
    pub(super) product: &'static str,
}

/// The headers that the vendors document: Cloudflare, “Detect a challenge page response”; AWS WAF, “How CAPTCHA and
/// Challenge work”; Vercel, “Firewall headers”.
pub(super) const HEADERS: &[HeaderMark] = &[
    HeaderMark { name: "cf-mitigated", values: &["challenge"], product: "Cloudflare" },
    HeaderMark { name: "x-amzn-waf-action", values: &["challenge", "captcha"], product: "AWS WAF" },
    HeaderMark { name: "x-vercel-mitigated", values: &["challenge"], product: "Vercel" },
];

const fn challenge(product: &'static str, selectors: &'static [&'static str], inline: &'static [&'static str]) -> Mark {
    Mark { kind: Kind::Challenge(product), selectors, inline }
}

const fn captcha(product: &'static str, selectors: &'static [&'static str]) -> Mark {
    Mark { kind: Kind::Captcha(product), selectors, inline: &[] }
}

const fn other(kind: Kind, selectors: &'static [&'static str], inline: &'static [&'static str]) -> Mark {
    Mark { kind, selectors, inline }
}

/// All marks.
pub(super) const MARKS: &[Mark] = &[
    // Pages that are let through have `/scripts/jsd/` of the same folder.
    challenge(
        "Cloudflare",
        &[
            "script[src*='/cdn-cgi/challenge-platform/'][src*='/orchestrate/']",
            "form[action*='__cf_chl_']",
            "#cf-challenge-running",
            "#challenge-form[action*='/cdn-cgi/']",
        ],
        &["_cf_chl_opt"],
    ),
    // Pages that are let through load `js.datadome.co`.
    challenge(
        "DataDome",
        &["script[src*='ct.captcha-delivery.com']", "iframe[src*='captcha-delivery.com']"],
        &["geo.captcha-delivery.com"],
    ),
    challenge(
        "HUMAN",
        &["#px-captcha", "script[src*='captcha.px-cdn.net']", "script[src*='captcha.px-cloud.net']"],
        &["_pxOnCaptchaSuccess"],
    ),
    challenge(
        "Akamai",
        &[
            "script[src*='/_sec/cp_challenge/']",
            "iframe[src*='/_sec/cp_challenge/']",
            "#sec-if-cpt-container",
            "meta[http-equiv='refresh' i][content*='bm-verify=']",
        ],
        &["/_sec/verify?provider="],
    ),
    // Pages that are let through may load `….awswaf.com/…/challenge.js`.
    challenge("AWS WAF", &[], &["window.gokuProps"]),
    // Pages that are let through have a script of this address, and no frame.
    challenge(
        "Imperva",
        &["iframe#main-iframe[src*='_Incapsula_Resource']", "#distilIdentificationBlock", "#interstitial-inprogress"],
        &["reeseSkipExpirationCheck"],
    ),
    challenge("Sucuri", &[], &["sucuri_cloudproxy_js", "sucuri_cloudproxy_uuid"]),
    challenge("DDoS-Guard", &["script[src*='check.ddos-guard.net/']", "script[src*='/.well-known/ddos-guard/']"], &[]),
    challenge("Anubis", &["script#anubis_challenge", "script[src*='/.within.website/x/cmd/anubis/']"], &[]),
    challenge("Vercel", &["script[src*='/.well-known/vercel/security/']"], &[]),
    challenge("Kasada", &["script[src*='/149e9513-01fa-4fb0-aad4-566afd725d1b/'][src*='/ips.js']"], &[]),
    challenge("F5", &["script[src^='/TSPD/']"], &["window[\"bobcmn\"]"]),
    challenge("QRATOR", &["script[src*='/__qrator/']"], &[]),
    captcha("hCaptcha", &[".h-captcha", "iframe[src*='hcaptcha.com']"]),
    captcha("Cloudflare Turnstile", &[".cf-turnstile", "iframe[src*='challenges.cloudflare.com']"]),
    captcha("reCAPTCHA", &[".g-recaptcha", "iframe[src*='/recaptcha/']"]),
    captcha("Friendly Captcha", &[".frc-captcha"]),
    // Advertisements that are made for domains without a site.
    other(Kind::Parking, &["script[src*='/adsense/domains/caf.js']", "html[data-adblockkey]"], &[]),
    other(
        Kind::Parking,
        &[
            "script[src*='sedoparking.com']",
            "iframe[src*='sedoparking.com']",
            "frame[src*='sedoparking.com']",
            "img[src*='sedoparking.com']",
            "script[src*='parkingcrew.net']",
            "script[src*='d38psrni17bvxu.cloudfront.net']",
            "script[src*='parklogic.com']",
            "script[src*='/parking-lander/']",
            "iframe[src*='parkingpage.namecheap.com']",
            "script[src*='parking.reg.ru']",
            "link[href*='parking.reg.ru']",
            "link[href*='parking.home.pl']",
        ],
        &["LANDER_SYSTEM", "window.park = \""],
    ),
    other(
        Kind::DomainMarket,
        &[
            "a[href*='//sedo.com/']",
            "a[href*='.sedo.com/']",
            "a[href*='//dan.com/']",
            "a[href*='.dan.com/']",
            "a[href*='afternic.com/']",
            "a[href*='hugedomains.com/']",
            "a[href*='atom.com/name/']",
            "a[href*='godaddy.com/domainsearch']",
            "a[href*='domainmarket.com/']",
            "a[href*='efty.com/']",
            "form[action*='afternic.com/']",
        ],
        &[],
    ),
    other(
        Kind::Maintenance,
        &[
            "link[href*='/plugins/wp-maintenance-mode/']",
            "link[href*='/plugins/maintenance/']",
            "link[href*='/plugins/under-construction-page/']",
            "body.maintenance-mode",
            "body.maintenance-page",
            "body.in-maintenance",
        ],
        &[],
    ),
    other(Kind::Reload, &[], &["location.reload(", "location.href=location.href", "location.replace(location"]),
];

/// The elements with which known products ask for consent.
pub(super) const CONSENT_MANAGERS: &[&str] = &[
    "#onetrust-banner-sdk",
    "#onetrust-pc-sdk",
    "#CybotCookiebotDialog",
    "#usercentrics-root",
    "#usercentrics-cmp-ui",
    "#didomi-host",
    "#didomi-popup",
    ".qc-cmp2-container",
    "[id^='sp_message_container']",
    "#cmpbox",
    "#cmpwrapper",
    "#truste-consent-track",
    ".fc-consent-root",
    "#cookiescript_injected",
    "#iubenda-cs-banner",
    ".cky-consent-container",
    "#cmplz-cookiebanner-container",
    "#tarteaucitronRoot",
    "#BorlabsCookieBox",
    "#axeptio_overlay",
    ".osano-cm-window",
    "#hs-eu-cookie-confirmation",
    "#ketch-consent-banner",
    "#termly-code-snippet-support",
    ".klaro",
    "#cc-main",
];
