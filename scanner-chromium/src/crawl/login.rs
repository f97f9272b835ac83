//! Login pages that stand in place of a site.

use a11ycheck_core::domain::view_of;
use url::Url;

use super::{
    actions::is_action,
    address::{key, may_be_page},
    robots::Robots,
    site::Site,
    survey::Listed,
};
use crate::visit::{Checked, Scope as _};

/// The parts of a path that suggest a login page.
const LOGIN_PATHS: [&str; 14] = [
    "/login",
    "/log-in",
    "/signin",
    "/sign-in",
    "/sign_in",
    "/wp-login",
    "/users/sign",
    "/auth/",
    "/sso",
    "/anmelden",
    "/logowanie",
    "/prihlaseni",
    "/autentificare",
    "/vhod",
];
/// The first labels of a host that suggest a login page.
const LOGIN_HOSTS: [&str; 8] = ["login", "log-in", "signin", "sign-in", "sso", "auth", "idp", "accounts"];
/// The parts of a path that suggest a page which belongs to a login, for registering or for logging in. That such a
/// page opens without a login says nothing about the site.
const ACCOUNT_PATHS: [&str; 20] = [
    "/account", "/activat", "/confirm", "/forgot", "/haslo", "/heslo", "/invit", "/join", "/oauth", "/parola",
    "/passwor", "/passwd", "/recover", "/regist", "/reset", "/saml", "/sign-up", "/sign_up", "/signup", "/verif",
];
/// The number of pages that are opened to see whether the site shows more than its login.
const MAX_OTHERS: usize = 5;

/// Returns whether an address says that it is a login page. An owner who gives such an address means that page.
pub(super) fn names_login(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let first_label = host.split('.').next().unwrap_or_default();
    has_part(url, &LOGIN_PATHS) || LOGIN_HOSTS.contains(&first_label)
}

/// Returns whether a visitor who requested `start` was sent to a login page.
pub(super) fn was_sent_to_login(start: &Url, found: &Checked) -> bool {
    found.collected.has_password && names_login(&found.url) && !names_login(start)
}

/// Returns whether a visitor who requested `start` sees a login form and nothing else. There may be more behind the
/// links.
pub(super) fn shows_only_login(start: &Url, found: &Checked) -> bool {
    found.collected.shows_only_login && !names_login(start)
}

/// Returns the pages that may show more of the site than its login page does: those that it links to, then those that
/// the sitemaps name.
pub(super) fn others(login: &Checked, listed: &[Listed], site: &Site, robots: &Robots) -> Vec<Url> {
    let links = login.collected.links.iter().filter_map(|link| Url::parse(link).ok());
    let mut known = vec![key(&login.url)];
    let mut others = Vec::new();
    for url in links.chain(listed.iter().map(|listed| listed.page.clone())) {
        let may_show_more = site.contains(&url)
            && may_be_page(&url)
            && !is_action(&url)
            && !belongs_to_login(&url)
            && robots.allows(&url);
        if may_show_more && !known.contains(&key(&url)) && others.len() < MAX_OTHERS {
            known.push(key(&url));
            others.push(url);
        }
    }
    others
}

/// Returns whether a page that was opened from a login page shows more of the site.
pub(super) fn shows_more(login: &Checked, found: &Checked) -> bool {
    key(&found.url) != key(&login.url) && !found.collected.shows_only_login && !belongs_to_login(&found.url)
}

fn belongs_to_login(url: &Url) -> bool {
    names_login(url) || has_part(url, &ACCOUNT_PATHS)
}

fn has_part(url: &Url, parts: &[&str]) -> bool {
    let path = format!("{}{}", url.path(), view_of(url).unwrap_or_default()).to_ascii_lowercase();
    parts.iter().any(|part| path.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_login_by_its_host_or_its_path() {
        let names = |text: &str| names_login(&Url::parse(text).unwrap());
        for login in [
            "https://a.example/login",
            "https://a.example/de/Anmelden?next=%2F",
            "https://login.a.example/",
            "https://accounts.a.example/x",
            "https://a.example/#/login",
        ] {
            assert!(names(login), "{login}");
        }
        for other in ["https://a.example/", "https://a.example/blog/authors", "https://blogin.a.example/"] {
            assert!(!names(other), "{other}");
        }
    }

    #[test]
    fn what_helps_to_log_in_belongs_to_the_login() {
        let belongs = |text: &str| belongs_to_login(&Url::parse(text).unwrap());
        for part in
            ["https://a.example/forgot-password", "https://a.example/users/password/new", "https://a.example/signup"]
        {
            assert!(belongs(part), "{part}");
        }
        for other in ["https://a.example/imprint", "https://a.example/privacy", "https://a.example/products/7"] {
            assert!(!belongs(other), "{other}");
        }
    }
}
