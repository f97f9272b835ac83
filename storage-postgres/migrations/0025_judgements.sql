-- What people decided about elements that checks found.
--
-- A judgement belongs to a site, not to a check: it is joined to findings when they are read, by the keys in its element. Words, instants
-- and ids are as in the first migration. Words have no CHECK: a verdict that only a later release knows is kept, and accepts nothing.
-- Rows go with their site, also where a node of the release before deletes it.

CREATE TABLE judgements (
    id        text COLLATE "C" PRIMARY KEY,
    team_id   text COLLATE "C" NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    site_id   text COLLATE "C" NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    -- The key of what it is about: a later judgement takes the place of an earlier one.
    subject   text COLLATE "C" NOT NULL,
    element   jsonb NOT NULL,
    reach     text NOT NULL,
    verdict   text NOT NULL,
    note      text NOT NULL,
    until     date,
    -- No foreign key: a judgement outlives the membership of who made it.
    person_id text COLLATE "C",
    author    text NOT NULL,
    at        timestamptz NOT NULL,
    UNIQUE (site_id, subject)
);

-- The list of a site.
CREATE INDEX judgements_by_site ON judgements (site_id, at DESC, id);
-- The cascade's, where a team is deleted.
CREATE INDEX judgements_by_team ON judgements (team_id);
