-- The log of occurrences: what happened to checks, for a day.
--
-- An entry is written in the transaction of what happened. There is one writer at a time, so positions are in the order in which
-- steps take effect, without gaps, and no entry appears before one that somebody has read. AUTOINCREMENT, so that no position comes
-- again once all entries are purged.
CREATE TABLE scan_events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    kind     TEXT NOT NULL,
    -- There are no foreign keys: an entry outlives its check, and is gone a day later.
    team_id  TEXT NOT NULL,
    site_id  TEXT NOT NULL,
    scan_id  TEXT NOT NULL,
    at       INTEGER NOT NULL
) STRICT;
