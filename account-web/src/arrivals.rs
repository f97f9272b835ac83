//! People who are signed in elsewhere: at a provider, or by a proxy.

use a11ycheck_core::{domain::Role, id::TeamId};

/// The rules for people who were signed in elsewhere. Without them, only those get in who have an account.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Arrivals {
    /// The team that they join.
    pub team: TeamId,
    /// The domains of e-mail addresses, in lower case, whose people get an account and join the team when they first arrive.
    pub domains: Vec<String>,
    /// The roles of groups. Who is in several has the highest. Where there are any, who is in none of them does not join, and the role of
    /// members follows their groups each time they arrive; without any, people join as viewers, and keep the role that they have.
    pub roles: Vec<(String, Role)>,
}

impl Arrivals {
    /// Returns arrivals in a team, for whom there are no domains and no roles yet.
    pub const fn new(team: TeamId) -> Self {
        Self { team, domains: Vec::new(), roles: Vec::new() }
    }

    /// Returns whether people with this address get an account.
    pub(crate) fn takes(&self, email: &str) -> bool {
        let domain = email.rsplit_once('@').map(|(_, domain)| domain);
        domain.is_some_and(|domain| self.domains.iter().any(|listed| listed == domain))
    }

    /// Returns the role of who is in these groups; `None` if the groups say nothing.
    pub(crate) fn role_of(&self, groups: &[String]) -> Option<Role> {
        let roles = self.roles.iter().filter(|(group, _)| groups.contains(group)).map(|(_, role)| *role);
        roles.max_by_key(|role| (role.manages(), role.writes()))
    }

    /// Returns the role with which somebody joins; `None` for who does not.
    pub(crate) fn joins_as(&self, groups: &[String]) -> Option<Role> {
        if self.roles.is_empty() { Some(Role::Viewer) } else { self.role_of(groups) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_is_whole_and_the_highest_role_of_all_groups_counts() {
        let mut arrivals = Arrivals::new(TeamId::generate(chrono::Utc::now()));
        arrivals.domains = vec!["example.org".to_owned()];
        assert!(arrivals.takes("jo@example.org"));
        for other in ["jo@sub.example.org", "jo@notexample.org", "example.org", "jo@example.org.evil.example"] {
            assert!(!arrivals.takes(other), "{other}");
        }
        let groups = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(arrivals.joins_as(&groups(&["staff"])), Some(Role::Viewer));
        arrivals.roles =
            vec![("staff".to_owned(), Role::Member), ("leads".to_owned(), Role::Owner), ("x".to_owned(), Role::Viewer)];
        assert_eq!(arrivals.joins_as(&groups(&["x", "leads", "staff"])), Some(Role::Owner));
        assert_eq!(arrivals.joins_as(&groups(&["x", "staff"])), Some(Role::Member));
        assert_eq!(arrivals.joins_as(&groups(&["Staff"])), None);
        assert_eq!(arrivals.role_of(&[]), None);
    }
}
