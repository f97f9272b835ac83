-- Checks: a narrow hot table of those that are queued or running, and a wide cold one of all.

-- One row for each site with a queued or running check: the primary key is what keeps a site from having two.
-- The lease columns are all NULL while the check is queued.
--
-- A running check's row is changed every few seconds. No index covers what changes, and half of each page is left free,
-- so these are heap-only updates. There are no foreign keys: a claim is over all teams, so this table stays on one node
-- where `scans` is spread over several by team. Rows come and go together with those of `scans`, in one transaction.
CREATE TABLE active_scans (
    site_id          text COLLATE "C" PRIMARY KEY,
    scan_id          text COLLATE "C" NOT NULL UNIQUE,
    team_id          text COLLATE "C" NOT NULL,
    queued_at        timestamptz NOT NULL,
    lease_worker     text,
    -- Grows with every change of hands. A result that comes with an earlier one is refused.
    lease_token      bigint,
    lease_expires_at timestamptz,
    attempt          bigint,
    started_at       timestamptz,
    pages_scanned    bigint,
    CONSTRAINT active_scans_lease_is_whole CHECK (
        num_nonnulls(lease_worker, lease_token, lease_expires_at, attempt, started_at, pages_scanned) IN (0, 6)
    )
) WITH (
    fillfactor = 50,
    -- Each claim walks past the rows that have ended since the last vacuum.
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 50
);

-- The order in which workers are given checks. It holds running ones too: a claim passes over as many of them as there
-- are workers, and in return neither a claim nor a renewal changes an index.
CREATE INDEX active_scans_by_queue ON active_scans (queued_at, scan_id);

-- All checks. While one is queued or running, its state is its row in `active_scans`.
CREATE TABLE scans (
    id              text COLLATE "C" PRIMARY KEY,
    team_id         text COLLATE "C" NOT NULL,
    site_id         text COLLATE "C" NOT NULL REFERENCES sites (id),
    kind            text NOT NULL CHECK (kind IN ('scheduled', 'manual')),
    pages_requested bigint NOT NULL,
    queued_at       timestamptz NOT NULL,
    express         boolean NOT NULL,
    -- The rest is written once, when the check ends.
    started_at      timestamptz,
    finished_at     timestamptz,
    -- A completed check in numbers: pages, totals, what changed, what checked.
    outcome         jsonb,
    -- Problem elements, for rows of completed checks.
    problems        bigint,
    -- Why a failed check has no result, and how far it came.
    failure         jsonb,
    pages_scanned   bigint,
    CONSTRAINT scans_end_is_whole CHECK (
        CASE
            WHEN finished_at IS NULL THEN num_nonnulls(started_at, outcome, problems, failure, pages_scanned) = 0
            WHEN outcome IS NOT NULL THEN num_nonnulls(started_at, problems) = 2 AND num_nonnulls(failure, pages_scanned) = 0
            ELSE num_nonnulls(started_at, failure, pages_scanned) = 3 AND problems IS NULL
        END
    )
);

-- The list of a site's checks, newest first.
CREATE INDEX scans_by_site ON scans (site_id, queued_at DESC, id DESC);
-- The latest completed check of a site, and the row of those before it.
CREATE INDEX scans_completed ON scans (site_id, finished_at, id) WHERE outcome IS NOT NULL;
-- The purge's: a team's oldest checks that have ended.
CREATE INDEX scans_ended ON scans (team_id, queued_at) WHERE finished_at IS NOT NULL;

-- Since when a plan's history reaches. PostgreSQL and core agree on what lies months ago: the same day and time in UTC, or
-- the last day of a shorter month. More than a thousand years are as good as a thousand.
CREATE FUNCTION history_start(at timestamptz, plan jsonb) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((at AT TIME ZONE 'UTC')
        - make_interval(months => least((plan #>> '{limits,history_months}')::bigint, 12000)::integer)) AT TIME ZONE 'UTC';
