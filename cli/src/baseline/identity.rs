//! How pages are named without their host.

use a11ycheck_core::domain::page_key;
use url::Url;

use crate::targets::{Replacement, replaced};

/// The site of a run, whose pages have names without a host. Those of other hosts keep theirs, so that they stay apart.
#[derive(Debug, Clone)]
pub struct Identity {
    base: String,
    rebase: Vec<Replacement>,
}

impl Identity {
    /// Returns the names of pages for a site at `base`; the beginnings of addresses are replaced before they are named.
    pub fn of(base: &Url, rebase: Vec<Replacement>) -> Self {
        Self { base: host_of(base), rebase }
    }

    /// Returns the host of a page with its port, without `www.`; nothing for a page of the site itself.
    pub fn site_of(&self, address: &str) -> String {
        let host = self.url(address).as_ref().map(host_of).unwrap_or_default();
        if host == self.base { String::new() } else { host }
    }

    /// Returns the name of a page: `/contact` for one of the site, `shop.example/contact` for another.
    pub fn name_of(&self, address: &str) -> String {
        let key = match self.url(address) {
            Some(url) => page_key(url.as_str()),
            None => page_key(address),
        };
        let slash = if key.starts_with('/') { "" } else { "/" };
        format!("{}{slash}{key}", self.site_of(address))
    }

    fn url(&self, address: &str) -> Option<Url> {
        Url::parse(address).ok().map(|url| replaced(&self.rebase, &url))
    }
}

/// Returns the host of a page with its port. Scheme and `www.` do not tell sites apart, as in a check of the service.
fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}{port}", host.strip_prefix("www.").unwrap_or(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(base: &str, rebase: &[&str]) -> Identity {
        let rebase = rebase.iter().map(|text| text.parse().unwrap()).collect();
        Identity::of(&Url::parse(base).unwrap(), rebase)
    }

    #[test]
    fn a_page_has_one_name_wherever_its_site_is_served() {
        let live = identity("https://www.a.example", &[]);
        let here = identity("http://127.0.0.1:4173/", &[]);
        for path in ["", "contact/", "x?b=1&a=2", "#/view"] {
            let (there, local) = (format!("https://www.a.example/{path}"), format!("http://127.0.0.1:4173/{path}"));
            assert_eq!(live.name_of(&there), here.name_of(&local), "{path}");
        }
        assert_eq!(live.name_of("http://a.example/"), "/");
    }

    #[test]
    fn pages_of_other_hosts_stay_apart() {
        let site = identity("https://a.example", &["https://old.example=https://shop.example"]);
        assert_eq!(site.name_of("https://shop.example/x/"), "shop.example/x");
        assert_eq!(site.name_of("https://a.example:8443/x"), "a.example:8443/x");
        assert_eq!(site.name_of("https://old.example/x"), "shop.example/x");
    }
}
