-- When the purge looks at a team next, so that it looks at few of them however many there are.
--
-- A row says that nothing of the team leaves its history before `due_at`. The end of a check sets it back, since an older one
-- may no longer be the latest of its site; so does a plan of another length. Whoever looks locks the row, deletes what has left,
-- and writes down when the next check will leave: after a month at the latest, so that whatever nodes of the release before
-- have not written down is found too. There is no row before a team's first check has ended.
CREATE TABLE retention (
    team_id text COLLATE "C" PRIMARY KEY,
    due_at  timestamptz NOT NULL
) WITH (
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 50
);
-- The purge's: which teams are to be looked at.
CREATE INDEX retention_by_due ON retention (due_at, team_id);
INSERT INTO retention SELECT id, '-infinity' FROM teams;

-- From when on a check that was queued at `queued_at` has left a plan's history: the first instant whose `history_start` is
-- later. Where the month in which that comes is too short for the day, it is the beginning of the next month.
CREATE FUNCTION history_end(queued_at timestamptz, plan jsonb) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (
        SELECT CASE
            WHEN history_start(reached AT TIME ZONE 'UTC', plan) >= queued_at THEN reached + interval '1 microsecond'
            ELSE date_trunc('month', reached) + interval '1 month'
        END AT TIME ZONE 'UTC'
        FROM (
            SELECT queued_at AT TIME ZONE 'UTC'
                + make_interval(months => least((plan #>> '{limits,history_months}')::bigint, 12000)::integer)
        ) AS months_later (reached)
    );
