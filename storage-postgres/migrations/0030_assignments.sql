-- Who repairs what checks found.
--
-- An assignment belongs to a site, not to a check: it is joined to findings when they are read, by the keys in its element. Words,
-- instants and ids are as in the first migration. Words have no CHECK: a state that only a later release knows is kept, and counts as
-- unfinished. Rows go with their site, also where a node of the release before deletes it.

CREATE TABLE assignments (
    id          text COLLATE "C" PRIMARY KEY,
    team_id     text COLLATE "C" NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    site_id     text COLLATE "C" NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    -- The key of what it is about: a later assignment takes the place of an earlier one.
    subject     text COLLATE "C" NOT NULL,
    element     jsonb NOT NULL,
    scope       text NOT NULL,
    -- No foreign key: a node of the release before takes members out of a team, and knows nothing of this.
    assignee_id text COLLATE "C",
    state       text NOT NULL,
    since       timestamptz NOT NULL,
    due         date,
    -- No foreign key: the check may leave the history.
    reopened_by text COLLATE "C",
    author      text NOT NULL,
    at          timestamptz NOT NULL,
    UNIQUE (site_id, subject)
);

-- The lists of a team and of a member, in their order, and the number of what a member has to do.
CREATE INDEX assignments_by_team ON assignments (team_id, assignee_id, due, at, id);
