-- Links that show one report to whoever has them, by the SHA-256 of their secrets, and which teams have any.

ALTER TABLE teams ADD COLUMN shares_reports INTEGER NOT NULL DEFAULT 0 CHECK (shares_reports IN (0, 1));

CREATE TABLE shared_reports (
    id         TEXT PRIMARY KEY NOT NULL,
    team_id    TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    -- No foreign key: a link to a check that is gone leads nowhere, and goes when it is over.
    scan_id    TEXT NOT NULL,
    hash       BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    made_by    TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    ends_at    INTEGER NOT NULL
) STRICT;

-- The links of a team, and those to one report.
CREATE INDEX shared_reports_by_team ON shared_reports (team_id, scan_id);
-- The purge's: which are over.
CREATE INDEX shared_reports_by_end ON shared_reports (ends_at);
