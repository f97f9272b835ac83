-- Decisions and assignments that were made at once, with all that is needed to undo them. Rows are few and short-lived: they go when they
-- are undone, with their site, and some time after ten minutes.

CREATE TABLE batches (
    id      text COLLATE "C" PRIMARY KEY,
    team_id text COLLATE "C" NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    site_id text COLLATE "C" NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    number  bigint NOT NULL,
    -- What was made, and what that took the place of.
    content jsonb NOT NULL,
    at      timestamptz NOT NULL
);

-- The cascades'.
CREATE INDEX batches_by_site ON batches (site_id);
CREATE INDEX batches_by_team ON batches (team_id);
-- The purge's.
CREATE INDEX batches_by_age ON batches (at);
