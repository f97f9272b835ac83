//! The rules of a site's robots.txt for us (RFC 9309, with the two common additions `Sitemap` and `Crawl-delay`).
//!
//! The parser is our own, because the file is untrusted: the cost of judging an address by half a megabyte of rules is
//! bounded, no rule is compiled, and a rule that makes no sense affects only itself.

use std::{cmp::Reverse, time::Duration};

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use url::{Position, Url};

pub(super) use crate::agent::PRODUCT_TOKEN;

/// The number of bytes that are read. RFC 9309 §2.5 asks for at least 500 KiB.
pub(super) const MAX_BYTES: usize = 512 * 1024;
/// The number of rules for us that are kept. If there are more, the longest are left out, which concern the fewest
/// pages.
const MAX_RULES: usize = 2_000;
/// The number of stars that a rule may have to be kept.
const MAX_STARS: usize = 10;
/// The number of sitemaps that are kept.
const MAX_SITEMAPS: usize = 50;
/// The longest pause between two pages that is granted. A site that asks for more is visited at this pace.
const MAX_DELAY: Duration = Duration::from_secs(10);
/// The characters that are percent-encoded in the path of a parsed address, if they were not before.
const AS_IN_ADDRESSES: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`').add(b'{').add(b'}');

/// The rules for us, and the rest of the file that is in use.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Robots {
    /// The rules, the most specific first, so that the first that matches decides.
    rules: Vec<Rule>,
    /// The pause between two pages that the site asks for; at most ten seconds.
    pub(super) delay: Option<Duration>,
    /// The addresses of sitemaps as they are in the file.
    pub(super) sitemaps: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
struct Rule {
    pattern: String,
    verdict: Verdict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// It comes first: "if an allow and a disallow rule are equivalent, the allow rule should be used" (§2.2.2).
    Allow,
    Disallow,
}

impl Robots {
    /// Returns rules that close nothing.
    pub(super) fn allow_all() -> Self {
        Self::default()
    }

    /// Reads the file. Lines that can't be understood are skipped.
    pub(super) fn parse(file: &[u8]) -> Self {
        let mut file = &file[..file.len().min(MAX_BYTES)];
        if file.len() == MAX_BYTES {
            // The beginning of a rule would close more than the rule.
            let is_line_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
            file = &file[..file.iter().rposition(is_line_end).unwrap_or(0)];
        }
        let text = String::from_utf8_lossy(file);
        let (ours, everyones) = (Group::of(&text, PRODUCT_TOKEN), Group::of(&text, "*"));
        let mut sitemaps: Vec<String> =
            lines(&text).filter(|(name, _)| name == "sitemap").map(|(_, value)| value.to_owned()).collect();
        sitemaps.truncate(MAX_SITEMAPS);
        // A group that names us replaces the one for everyone (§2.2.1).
        let Group { mut rules, delay, .. } = if ours.is_there { ours } else { everyones };
        rules.retain(|rule| rule.pattern.matches('*').count() <= MAX_STARS);
        rules.sort_by_key(|rule| rule.pattern.len());
        rules.truncate(MAX_RULES);
        rules.sort_by_key(|rule| (Reverse(rule.pattern.len()), rule.verdict));
        Self { rules, delay, sitemaps }
    }

    /// Returns the same without its rules and its delay.
    pub(super) fn opened(self) -> Self {
        Self { sitemaps: self.sitemaps, ..Self::allow_all() }
    }

    /// Returns whether we may open this address of the site.
    pub(super) fn allows(&self, url: &Url) -> bool {
        if self.rules.is_empty() {
            return true;
        }
        let path = normal(&url[Position::BeforePath..Position::AfterQuery]);
        let deciding = self.rules.iter().find(|rule| matches(&rule.pattern, &path));
        deciding.is_none_or(|rule| rule.verdict == Verdict::Allow)
    }
}

/// All groups of one user agent, combined (§2.2.1).
#[derive(Default)]
struct Group {
    is_there: bool,
    rules: Vec<Rule>,
    delay: Option<Duration>,
}

impl Group {
    fn of(text: &str, agent: &str) -> Self {
        let mut group = Self::default();
        let mut is_meant = false;
        // Consecutive user agents share the rules that follow.
        let mut is_in_row = false;
        for (name, value) in lines(text) {
            match name.as_str() {
                "user-agent" => {
                    is_meant = is_in_row && is_meant || names(value, agent);
                    is_in_row = true;
                    group.is_there |= is_meant;
                }
                "allow" | "disallow" => {
                    is_in_row = false;
                    // An empty rule closes and opens nothing.
                    if is_meant && !value.is_empty() {
                        let verdict = if name == "allow" { Verdict::Allow } else { Verdict::Disallow };
                        group.rules.push(Rule { pattern: normal(value), verdict });
                    }
                }
                "crawl-delay" => {
                    is_in_row = false;
                    if is_meant && group.delay.is_none() {
                        group.delay = delay(value);
                    }
                }
                // "Sitemap" and the like belong to no group and end none.
                _ => {}
            }
        }
        group
    }
}

/// Returns the lines with content: a name in lower case, and a value without its comment.
fn lines(text: &str) -> impl Iterator<Item = (String, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.split(['\n', '\r']).filter_map(|line| {
        let said = line.split('#').next().unwrap_or_default();
        let (name, value) = said.split_once(':')?;
        Some((name.trim().to_ascii_lowercase(), value.trim()))
    })
}

/// Returns whether a `User-agent` line means `agent`: its product token, whatever follows it (`a11ycheck/1.0`).
fn names(value: &str, agent: &str) -> bool {
    let is_token = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '*');
    let token = value.split(|character| !is_token(character)).next().unwrap_or_default();
    token.eq_ignore_ascii_case(agent)
}

fn delay(value: &str) -> Option<Duration> {
    let seconds: f64 = value.parse().ok()?;
    let seconds = seconds.clamp(0.0, MAX_DELAY.as_secs_f64());
    // This also rejects NaN.
    Duration::try_from_secs_f64(seconds).ok()
}

/// Returns one spelling for octets that may or may not be percent-encoded (§2.2.2).
fn normal(path: &str) -> String {
    let mut normal = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(at) = rest.find('%') {
        normal.push_str(&rest[..at]);
        let code = rest.get(at..at + 3).filter(|code| code[1..].bytes().all(|byte| byte.is_ascii_hexdigit()));
        match code {
            Some(code) => {
                let mut bytes = percent_decode_str(code);
                match bytes.next() {
                    // Unreserved characters mean the same either way; others may not, and keep their code.
                    Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => normal.push(byte.into()),
                    _ => normal.push_str(&code.to_ascii_uppercase()),
                }
                rest = &rest[at + 3..];
            }
            None => {
                normal.push('%');
                rest = &rest[at + 1..];
            }
        }
    }
    normal.push_str(rest);
    utf8_percent_encode(&normal, AS_IN_ADDRESSES).to_string()
}

/// Returns whether a path begins with the pattern, in which `*` stands for anything and a `$` at the end for the end.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, is_whole) = pattern.strip_suffix('$').map_or((pattern, false), |pattern| (pattern, true));
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return !is_whole || rest.is_empty() };
    // The earliest match of each part leaves the most for those after it.
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    if is_whole { rest.ends_with(last) } else { rest.contains(last) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn allows(file: &str, path: &str) -> bool {
        Robots::parse(file.as_bytes()).allows(&Url::parse(&format!("https://a.example{path}")).unwrap())
    }

    #[test]
    fn the_group_that_names_us_counts_and_else_the_one_for_everyone() {
        let file = "User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-Agent: A11yCheck/1.0 # us\nDisallow: /x\n\
                    Crawl-delay: 2.5\nSitemap: https://a.example/s.xml\n\nuser-agent: a11ycheck\ndisallow: /y";
        assert!(allows(file, "/"));
        assert!(!allows(file, "/x1"));
        assert!(!allows(file, "/y"));
        let robots = Robots::parse(file.as_bytes());
        assert_eq!(robots.delay, Some(Duration::from_millis(2500)));
        assert_eq!(robots.sitemaps, ["https://a.example/s.xml"]);
        assert!(!allows("User-agent: other\nAllow: /\nUser-agent: *\nDisallow: /", "/"));
        assert!(allows("User-agent: other\nDisallow: /", "/"));
        assert!(allows("User-agent: a11ycheckers\nDisallow: /", "/"));
    }

    #[test]
    fn the_most_specific_rule_decides_and_of_two_equal_ones_the_friendlier() {
        let file = "User-agent: *\nAllow: /shop/\nDisallow: /shop/cart\nDisallow: /a\nAllow: /a\nDisallow:";
        assert!(allows(file, "/shop/shirt"));
        assert!(!allows(file, "/shop/cart?x=1"));
        assert!(allows(file, "/a"));
        assert!(allows(file, "/"));
    }

    #[test]
    fn wildcards_and_ends_mean_what_the_rfc_says() {
        let file = "User-agent: *\nDisallow: /*.php$\nDisallow: /*?sort=\nDisallow: /p/*/print\nDisallow: /end$";
        for closed in ["/a.php", "/x/y.php", "/shop?sort=up", "/p/1/print", "/p/1/2/printed", "/end"] {
            assert!(!allows(file, closed), "{closed}");
        }
        for open in ["/a.php5", "/a.php?x=1", "/shop?page=1", "/p/print", "/ending", "/x/end"] {
            assert!(allows(file, open), "{open}");
        }
    }

    #[test]
    fn spellings_of_one_path_are_treated_alike() {
        let file = "User-agent: *\nDisallow: /%7Ejoe\nDisallow: /ü\nDisallow: /a%2fb";
        assert!(!allows(file, "/~joe/"));
        assert!(!allows(file, "/%C3%BC"));
        assert!(!allows(file, "/a%2Fb"));
        assert!(allows(file, "/a/b"));
    }

    #[test]
    fn what_is_no_robots_file_closes_nothing() {
        for file in ["", "<!DOCTYPE html><html>Not found: sorry</html>", "\u{feff}\u{0}\n:::", "Disallow: /"] {
            assert!(allows(file, "/x"), "{file}");
        }
        assert!(!allows("\u{feff}User-agent:*\rDisallow:/x", "/x"));
        for delay in ["NaN", "-1", "soon", "1e400"] {
            let robots = Robots::parse(format!("User-agent: *\nCrawl-delay: {delay}").as_bytes());
            assert!(robots.delay.is_none_or(|delay| delay <= MAX_DELAY), "{delay}");
        }
    }

    #[test]
    fn a_huge_file_of_hard_rules_is_answered_at_once() {
        let rules = "Disallow: /*a*a*a*a*a*a*b$\n".repeat(MAX_BYTES / 26);
        let path = format!("/{}", "a".repeat(2_000));
        let file = format!("User-agent: *\n{rules}");
        assert!(allows(&file, &path));
        let file = format!("User-agent: *\n{}\nDisallow: /short", "Disallow: /very/long/rule\n".repeat(5_000));
        assert!(!allows(&file, "/short"), "what concerns the most pages is kept");
    }

    proptest! {
        #[test]
        fn any_file_is_read_and_any_address_answered(file in any::<Vec<u8>>(), path in "[ -~ü]{0,40}") {
            let robots = Robots::parse(&file);
            robots.allows(&Url::parse(&format!("https://a.example/{path}")).unwrap());
        }

        #[test]
        fn a_rule_made_from_a_path_closes_it(path in "/[a-z0-9/%~ü.-]{0,20}") {
            let url = Url::parse(&format!("https://a.example/x{path}")).unwrap();
            let file = format!("User-agent: *\nDisallow: {}", url.path());
            prop_assert!(!allows(&file, url.path()));
        }
    }
}
