-- Checks: a narrow table of those that are queued or running, and a wide one of all.

-- One row for each site with a queued or running check: the primary key is what keeps a site from having two. A running check's row
-- is changed every few seconds, so it holds nothing else. The columns of the lease are all NULL while the check is queued.
CREATE TABLE active_scans (
    site_id          TEXT PRIMARY KEY NOT NULL,
    scan_id          TEXT NOT NULL UNIQUE,
    team_id          TEXT NOT NULL,
    queued_at        INTEGER NOT NULL,
    -- `Urgency::rank_at` of core: what workers are given first has the least.
    rank_at          INTEGER NOT NULL,
    urgency          TEXT NOT NULL,
    lease_worker     TEXT,
    -- Grows with every change of hands. A result that comes with an earlier one is refused.
    lease_token      INTEGER,
    lease_expires_at INTEGER,
    attempt          INTEGER,
    started_at       INTEGER,
    pages_scanned    INTEGER,
    pages_found      INTEGER,
    CONSTRAINT active_scans_lease_is_whole CHECK (
        (lease_worker IS NULL) + (lease_token IS NULL) + (lease_expires_at IS NULL) + (attempt IS NULL) + (started_at IS NULL)
            + (pages_scanned IS NULL) + (pages_found IS NULL) IN (0, 7)
    )
) STRICT, WITHOUT ROWID;

-- What a claim reads first: as a rule, the first few due checks of all teams contain one of a team without a running check.
CREATE INDEX active_scans_by_rank ON active_scans (rank_at, scan_id);
-- Where they do not, a claim jumps from team to team, so that the long queue of one team costs no more than a short one.
CREATE INDEX active_scans_by_team ON active_scans (team_id, rank_at, scan_id);
-- How many checks of each team are running: as many entries as there are workers.
CREATE INDEX active_scans_running ON active_scans (team_id) WHERE lease_worker IS NOT NULL;

-- All checks. While one is queued or running, its state is its row in `active_scans`.
CREATE TABLE scans (
    id              TEXT PRIMARY KEY NOT NULL,
    team_id         TEXT NOT NULL,
    site_id         TEXT NOT NULL REFERENCES sites (id),
    kind            TEXT NOT NULL,
    pages_requested INTEGER NOT NULL,
    queued_at       INTEGER NOT NULL,
    express         INTEGER NOT NULL CHECK (express IN (0, 1)),
    -- The rest is written once, when the check ends.
    started_at      INTEGER,
    finished_at     INTEGER,
    -- A completed check in numbers: pages, totals, what changed, what checked.
    outcome         TEXT CHECK (json_valid(outcome)),
    -- Problem elements, for rows of completed checks.
    problems        INTEGER,
    -- Why a failed check has no result, and how far it came.
    failure         TEXT CHECK (json_valid(failure)),
    pages_scanned   INTEGER,
    CONSTRAINT scans_end_is_whole CHECK (
        CASE
            WHEN finished_at IS NULL THEN
                started_at IS NULL AND outcome IS NULL AND problems IS NULL AND failure IS NULL AND pages_scanned IS NULL
            WHEN outcome IS NOT NULL THEN
                started_at IS NOT NULL AND problems IS NOT NULL AND failure IS NULL AND pages_scanned IS NULL
            ELSE
                started_at IS NOT NULL AND failure IS NOT NULL AND pages_scanned IS NOT NULL AND problems IS NULL
        END
    )
) STRICT;

-- The list of a site's checks, newest first.
CREATE INDEX scans_by_site ON scans (site_id, queued_at DESC, id DESC);
-- The latest completed check of a site, and the row of those before it.
CREATE INDEX scans_completed ON scans (site_id, finished_at, id) WHERE outcome IS NOT NULL;
-- The purge's: a team's oldest checks that have ended.
CREATE INDEX scans_ended ON scans (team_id, queued_at, id) WHERE finished_at IS NOT NULL;
