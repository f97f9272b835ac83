//! The ports on which public hosts may serve web sites.

/// Returns whether a web site may be served on the port on the public internet: 80, 443, and the ports that anyone can
/// choose for a site (1024 and above), except [`NEVER_WEB`]. A request to the port of another protocol could be
/// understood as commands of that protocol, and would let a user probe foreign services through ours.
pub(super) fn may_be_web(port: u16) -> bool {
    matches!(port, 80 | 443) || (port >= 1024 && !NEVER_WEB.contains(&port))
}

/// Ports that are never those of web sites, in ascending order. "Fetch": a bad port of the [Fetch standard], which no
/// browser opens.
///
/// [Fetch standard]: https://fetch.spec.whatwg.org/#port-blocking
const NEVER_WEB: &[u16] = &[
    1433, 1521, // databases: SQL Server, Oracle
    1719, 1720, 1723, // Fetch: H.323 telephony, PPTP
    2049, // Fetch: NFS
    2375, 2376, // Docker's API: a request can start programs
    3306, // database: MySQL
    3389, // remote desktop
    3659, 4045, 4190, // Fetch: SASL, NFS locks, mail filters
    5060, 5061, // Fetch: SIP telephony
    5432, // database: PostgreSQL
    5900, // remote desktop: VNC
    6000, // Fetch: X11
    6379, // cache: Redis, which reads an HTTP request line by line as commands
    6566, // Fetch: scanners of paper
    6665, 6666, 6667, 6668, 6669, 6679, 6697,  // Fetch: IRC
    10080, // Fetch: Amanda backups
    11211, // cache: memcached, which reads lines too
    27017, // database: MongoDB
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_on_an_ordinary_port_can_be_checked() {
        for port in [80, 443, 1024, 3000, 4200, 5000, 5173, 8000, 8080, 8443, 9000, 49152, 65535] {
            assert!(may_be_web(port), "{port}");
        }
    }

    #[test]
    fn a_service_that_is_no_web_site_is_not_reached() {
        for port in [0, 1, 21, 22, 23, 25, 53, 79, 81, 110, 442, 444, 587, 1023, 3306, 5432, 6379, 6667, 11211, 27017] {
            assert!(!may_be_web(port), "{port}");
        }
    }

    #[test]
    fn the_list_is_readable_and_says_nothing_twice() {
        assert!(NEVER_WEB.is_sorted_by(|a, b| a < b));
        assert!(NEVER_WEB.iter().all(|&port| port >= 1024));
    }
}
