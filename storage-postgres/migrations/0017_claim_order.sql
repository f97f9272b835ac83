-- The order in which checks begin: fair among teams, and within a team those first that somebody waits for.

-- `Urgency::rank_at` of core: what workers are given first has the least. A node of the release before writes none; its checks
-- count as requested.
ALTER TABLE active_scans ADD COLUMN rank_at timestamptz NOT NULL DEFAULT clock_timestamp();
-- In UTC, where every day has 24 hours.
UPDATE active_scans a SET rank_at = a.queued_at + CASE s.kind WHEN 'manual' THEN interval '0' ELSE interval '6 hours' END
FROM scans s WHERE s.id = a.scan_id;

-- What a claim reads first: as a rule, the first few due checks of all teams contain one of a team without a running check.
CREATE INDEX active_scans_by_rank ON active_scans (rank_at, scan_id);
-- Where they do not, a claim jumps from team to team, so that the long queue of one team costs no more than a short one.
CREATE INDEX active_scans_by_team ON active_scans (team_id, rank_at, scan_id);
-- How many checks of each team are running: as many entries as there are workers. A claim writes one; a renewal changes no
-- column of any index, and so stays a heap-only update.
CREATE INDEX active_scans_running ON active_scans (team_id) WHERE lease_worker IS NOT NULL;
-- `active_scans_by_queue` is read by nodes of the release before, and goes with the next release.
