-- What people say about success criteria of sites.
--
-- An assessment belongs to a site, not to a check. Numbers of criteria are texts such as 1.4.10; words, instants and ids are as in the
-- first migration. Words have no CHECK: an outcome that only a later release knows is kept, and counts as none. Rows go with their site,
-- also where a node of the release before deletes it.

CREATE TABLE assessments (
    site_id   text COLLATE "C" NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    criterion text COLLATE "C" NOT NULL,
    -- That of the site.
    team_id   text COLLATE "C" NOT NULL,
    outcome   text NOT NULL,
    note      text NOT NULL,
    -- No foreign key: an assessment outlives the membership of who made it.
    person_id text COLLATE "C",
    author    text NOT NULL,
    at        timestamptz NOT NULL,
    PRIMARY KEY (site_id, criterion)
);
