-- The sites of teams.

CREATE TABLE sites (
    id                   TEXT PRIMARY KEY NOT NULL,
    team_id              TEXT NOT NULL REFERENCES teams (id),
    url                  TEXT NOT NULL,
    -- The host of `url`, by which lists are ordered.
    domain               TEXT NOT NULL,
    name                 TEXT,
    report_locale        TEXT NOT NULL,
    -- The older form of `stack`, where it was used; `stack` has it as its first then.
    platform             TEXT,
    stack                TEXT NOT NULL CHECK (json_valid(stack)),
    tags                 TEXT NOT NULL CHECK (json_valid(tags)),
    -- The standard against which it is checked, as a word of `StandardId`; NULL for the operator's choice for all sites.
    standard             TEXT,
    next_scan_at         INTEGER NOT NULL,
    -- When manual checks were started, which outlives the checks: `ManualChecks` of core.
    last_manual_at       INTEGER,
    previous_manual_at   INTEGER,
    manual_given_back_at INTEGER,
    created_at           INTEGER NOT NULL
) STRICT;

-- The list of a team's sites, and their number.
CREATE INDEX sites_by_team ON sites (team_id, domain, id);
-- The scheduler's: which sites of all teams are due.
CREATE INDEX sites_by_next_scan ON sites (next_scan_at, id);
