-- What people say about success criteria of sites.
--
-- An assessment belongs to a site, not to a check. Numbers of criteria are texts such as 1.4.10; words, instants and ids are as in the
-- first migration. Words have no CHECK: an outcome that only a later release knows is kept, and counts as none.

CREATE TABLE assessments (
    site_id   TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    criterion TEXT NOT NULL,
    -- That of the site.
    team_id   TEXT NOT NULL,
    outcome   TEXT NOT NULL,
    note      TEXT NOT NULL,
    person_id TEXT,
    author    TEXT NOT NULL,
    at        INTEGER NOT NULL,
    PRIMARY KEY (site_id, criterion)
) STRICT;
