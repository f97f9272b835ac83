-- What people decided about elements that checks found.
--
-- A judgement belongs to a site, not to a check: it is joined to findings when they are read, by the keys in its element. Elements are
-- JSON; words, instants and ids are as in the first migration; last days are ISO dates. Words have no CHECK: a verdict that only a
-- later release knows is kept, and accepts nothing.

CREATE TABLE judgements (
    id        TEXT PRIMARY KEY NOT NULL,
    team_id   TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    site_id   TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    -- The key of what it is about: a later judgement takes the place of an earlier one.
    subject   TEXT NOT NULL,
    element   TEXT NOT NULL,
    reach     TEXT NOT NULL,
    verdict   TEXT NOT NULL,
    note      TEXT NOT NULL,
    until     TEXT,
    -- No foreign key: a judgement outlives the membership of who made it.
    person_id TEXT,
    author    TEXT NOT NULL,
    at        INTEGER NOT NULL,
    UNIQUE (site_id, subject)
) STRICT;

-- The list of a site.
CREATE INDEX judgements_by_site ON judgements (site_id, at DESC, id);
-- The cascade's, where a team is deleted.
CREATE INDEX judgements_by_team ON judgements (team_id);
