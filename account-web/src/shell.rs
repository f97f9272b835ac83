//! What surrounds every page: language, navigation, who is signed in.

use a11ycheck_core::{
    catalog::{Terms, fill, terms},
    domain::{Person, Role, Team},
    id::TeamId,
    locale::Locale,
};

use crate::{
    form_errors::FormErrors,
    markup,
    places::Places,
    words::{Words, own_name},
};

/// The part of the interface that a page belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Sites,
    Work,
    Members,
    Tokens,
    Endpoints,
    Brand,
    Usage,
    Audit,
    Teams,
    Profile,
    Operator,
    /// Pages of who is not signed in, and errors.
    Outside,
}

/// The values of `base.html`.
#[derive(Debug, Clone)]
pub(crate) struct Shell {
    pub(crate) locale: Locale,
    pub(crate) words: &'static Words,
    pub(crate) terms: &'static Terms,
    /// The path of the pages, for links.
    pub(crate) root: String,
    pub(crate) section: Section,
    /// The title of the page.
    pub(crate) title: String,
    pub(crate) person: Option<Person>,
    pub(crate) team: Option<TeamShell>,
    /// The sentence about what has just been done.
    pub(crate) notice: Option<&'static str>,
    pub(crate) errors: FormErrors,
    /// The path of this page, to which a change of the language leads back.
    pub(crate) here: String,
}

/// A team in the shell.
#[derive(Debug, Clone)]
pub(crate) struct TeamShell {
    pub(crate) id: TeamId,
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) counts: Counts,
}

/// The numbers in the navigation of a team.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    /// The number of the team's sites whose latest check failed.
    pub(crate) failing: u64,
    /// The number of the person's assignments that are not done.
    pub(crate) unfinished: u64,
}

/// Returns the name of a role.
pub(crate) fn role_name(role: &Role, words: &'static Words) -> &'static str {
    let words = &words.roles;
    match *role {
        Role::Owner => &words.owner,
        Role::Member => &words.member,
        Role::Viewer => &words.viewer,
        _ => &words.unknown,
    }
}

impl Shell {
    pub(crate) fn new(locale: Locale, places: &Places, here: String) -> Self {
        Self {
            locale,
            words: Words::of(locale),
            terms: terms(locale),
            root: places.root().to_owned(),
            section: Section::Outside,
            title: String::new(),
            person: None,
            team: None,
            notice: None,
            errors: FormErrors::default(),
            here,
        }
    }

    pub(crate) fn in_team(mut self, team: &Team, role: Role, counts: Counts) -> Self {
        self.team = Some(TeamShell { id: team.id, name: team.name.clone(), role, counts });
        self
    }

    pub(crate) fn titled(mut self, section: Section, title: impl Into<String>) -> Self {
        self.section = section;
        self.title = title.into();
        self
    }

    pub(crate) fn with_errors(mut self, errors: FormErrors) -> Self {
        self.errors = errors;
        self
    }

    /// Returns the title of the window: what is wrong comes first, so that a screen reader says it (GOV.UK Design System).
    pub(crate) fn window_title(&self) -> String {
        let prefix = if self.errors.is_empty() { "" } else { &self.words.common.error_prefix };
        let team = self.team.as_ref().map(|team| format!(" – {}", team.name)).unwrap_or_default();
        let space = if prefix.is_empty() { "" } else { " " };
        format!("{prefix}{space}{}{team} – {}", self.title, self.words.common.product)
    }

    pub(crate) fn languages(&self) -> impl Iterator<Item = (&'static str, &'static str, bool)> {
        let chosen = self.locale;
        Locale::ALL.into_iter().map(move |locale| (locale.code(), own_name(locale), locale == chosen))
    }

    /// Returns the links of a team's navigation: the path, the name and whether the page belongs to it.
    pub(crate) fn team_links(&self) -> Vec<(String, &'static str, bool)> {
        let Some(team) = &self.team else { return Vec::new() };
        let nav = &self.words.nav;
        let links = [
            ("sites", nav.sites.as_str(), Section::Sites, true),
            ("work", &nav.work, Section::Work, true),
            ("members", &nav.members, Section::Members, true),
            ("tokens", &nav.tokens, Section::Tokens, team.role.manages()),
            ("endpoints", &nav.endpoints, Section::Endpoints, team.role.manages()),
            ("brand", &nav.brand, Section::Brand, team.role.manages()),
            ("usage", &nav.usage, Section::Usage, true),
            ("audit", &nav.audit, Section::Audit, team.role.manages()),
        ];
        let shown = links.into_iter().filter(|(.., is_shown)| *is_shown);
        shown
            .map(|(path, name, section, _)| (format!("{}/{path}", self.team_root()), name, section == self.section))
            .collect()
    }

    /// Returns the path of the team's pages.
    pub(crate) fn team_root(&self) -> String {
        let team = self.team.as_ref().map(|team| team.id.to_string()).unwrap_or_default();
        format!("{}/teams/{team}", self.root)
    }

    pub(crate) fn operates(&self) -> bool {
        self.person.as_ref().is_some_and(|person| person.kind.operates())
    }

    pub(crate) fn manages(&self) -> bool {
        self.team.as_ref().is_some_and(|team| team.role.manages())
    }

    pub(crate) fn writes(&self) -> bool {
        self.team.as_ref().is_some_and(|team| team.role.writes())
    }

    /// Returns the name of a role.
    pub(crate) fn role(&self, role: &Role) -> &'static str {
        role_name(role, self.words)
    }

    /// Returns a text with a value in it.
    pub(crate) fn filled(&self, text: &str, name: &str, value: impl std::fmt::Display) -> String {
        fill(text, &[(name, &value.to_string())])
    }

    /// Returns the address of the style sheet, which changes with its content.
    pub(crate) fn style(&self) -> String {
        format!("{}/assets/{}", self.root, markup::STYLE.name())
    }

    /// Returns the address of the script, which changes with its content.
    pub(crate) fn script(&self) -> String {
        format!("{}/assets/{}", self.root, markup::SCRIPT.name())
    }
}
