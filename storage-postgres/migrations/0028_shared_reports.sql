-- Links that show one report to whoever has them, by the SHA-256 of their secrets, and which teams have any.
--
-- Instants and ids are as in the first migration. Rows go with their team, also where a node of the release before deletes it.

ALTER TABLE teams ADD COLUMN shares_reports boolean NOT NULL DEFAULT false;

CREATE TABLE shared_reports (
    id         text COLLATE "C" PRIMARY KEY,
    team_id    text COLLATE "C" NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    -- No foreign key: a link to a check that is gone leads nowhere, and goes when it is over.
    scan_id    text COLLATE "C" NOT NULL,
    hash       bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    made_by    text NOT NULL,
    created_at timestamptz NOT NULL,
    ends_at    timestamptz NOT NULL
);

-- The links of a team, and those to one report.
CREATE INDEX shared_reports_by_team ON shared_reports (team_id, scan_id);
-- The purge's: which are over.
CREATE INDEX shared_reports_by_end ON shared_reports (ends_at);
