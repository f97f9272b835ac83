-- Who repairs what checks found.
--
-- An assignment belongs to a site, not to a check: it is joined to findings when they are read, by the keys in its element. Elements are
-- JSON; words, instants and ids are as in the first migration; days are ISO dates. Words have no CHECK: a state that only a later release
-- knows is kept, and counts as unfinished.

CREATE TABLE assignments (
    id          TEXT PRIMARY KEY NOT NULL,
    team_id     TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    site_id     TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    -- The key of what it is about: a later assignment takes the place of an earlier one.
    subject     TEXT NOT NULL,
    element     TEXT NOT NULL,
    scope       TEXT NOT NULL,
    assignee_id TEXT,
    state       TEXT NOT NULL,
    since       INTEGER NOT NULL,
    due         TEXT,
    -- No foreign key: the check may leave the history.
    reopened_by TEXT,
    author      TEXT NOT NULL,
    at          INTEGER NOT NULL,
    UNIQUE (site_id, subject)
) STRICT;

-- The lists of a team and of a member, in their order, and the number of what a member has to do.
CREATE INDEX assignments_by_team ON assignments (team_id, assignee_id, due, at, id);
