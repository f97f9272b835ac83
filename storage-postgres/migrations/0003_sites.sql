-- The sites of teams.

CREATE TABLE sites (
    id             text COLLATE "C" PRIMARY KEY,
    team_id        text COLLATE "C" NOT NULL REFERENCES teams (id),
    url            text NOT NULL,
    -- The host of `url`: what lists are ordered by.
    domain         text COLLATE "C" NOT NULL,
    name           text,
    report_locale  text NOT NULL,
    stack          text[] NOT NULL,
    tags           text[] NOT NULL,
    next_scan_at   timestamptz NOT NULL,
    -- When a manual check was started last. Kept here because it outlives the check.
    last_manual_at timestamptz,
    created_at     timestamptz NOT NULL
);

-- The list of a team's sites, and their number.
CREATE INDEX sites_by_team ON sites (team_id, domain, id);
-- The scheduler's: which sites of all teams are due.
CREATE INDEX sites_by_next_scan ON sites (next_scan_at, id);
