-- The log of occurrences: what happened to checks, for a day.
--
-- An entry is written in the transaction of what happened, by writers that take no common lock. It gets its position from the first
-- reader that sees it, not from its writer: numbers that writers draw would show a later one before an earlier one that commits late,
-- and a reader that has gone on would never see that. A reader locks the one row of `event_head`, numbers the rows that it can see, and
-- commits, so that no entry ever appears before one that somebody has read. Nodes of the release before write no entries.

CREATE TABLE scan_events (
    -- In the order of writing, which for the entries of one check is the order in which it happened.
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- NULL until it is read, or purged.
    position bigint,
    kind     text NOT NULL CHECK (kind IN ('started', 'completed', 'failed', 'given_up')),
    -- There are no foreign keys: an entry outlives its check, and is gone a day later.
    team_id  text COLLATE "C" NOT NULL,
    site_id  text COLLATE "C" NOT NULL,
    scan_id  text COLLATE "C" NOT NULL,
    at       timestamptz NOT NULL
) WITH (
    -- Each entry is written, numbered and deleted within a day.
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 50
);
-- The readers', and the purge's.
CREATE UNIQUE INDEX scan_events_by_position ON scan_events (position);
-- What the next reader numbers.
CREATE INDEX scan_events_to_number ON scan_events (id) WHERE position IS NULL;

-- One row: the greatest position that was given, and up to which the entries were purged. Positions have no gaps.
CREATE TABLE event_head (
    is_there boolean PRIMARY KEY DEFAULT true CHECK (is_there),
    position bigint NOT NULL,
    purged   bigint NOT NULL
) WITH (
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 50
);
INSERT INTO event_head (position, purged) VALUES (0, 0);
