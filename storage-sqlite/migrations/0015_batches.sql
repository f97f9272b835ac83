-- Decisions and assignments that were made at once, with all that is needed to undo them. Rows are few and short-lived: they go when they
-- are undone, with their site, and some time after ten minutes.

CREATE TABLE batches (
    id      TEXT PRIMARY KEY NOT NULL,
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    site_id TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    number  INTEGER NOT NULL,
    -- What was made, and what that took the place of: JSON.
    content TEXT NOT NULL,
    at      INTEGER NOT NULL
) STRICT;

-- The cascades'.
CREATE INDEX batches_by_site ON batches (site_id);
CREATE INDEX batches_by_team ON batches (team_id);
-- The purge's.
CREATE INDEX batches_by_age ON batches (at);
