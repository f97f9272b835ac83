-- Plans, the teams that are on them, and the tokens with which teams come in.
--
-- Ids and codes are text, which SQLite compares byte by byte. Instants are whole microseconds since 1970 in UTC, lists are JSON,
-- truth values 0 or 1: STRICT tables have no types for them.

CREATE TABLE plans (
    code     TEXT PRIMARY KEY NOT NULL,
    -- The whole plan as core writes it.
    document TEXT NOT NULL CHECK (json_valid(document))
) STRICT;

CREATE TABLE teams (
    id            TEXT PRIMARY KEY NOT NULL,
    name          TEXT NOT NULL,
    plan_code     TEXT NOT NULL REFERENCES plans (code),
    status        TEXT NOT NULL,
    ends_at       INTEGER,
    trial_ends_at INTEGER,
    standing      TEXT NOT NULL,
    seats_used    INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    -- The key under which a host program knows the team.
    external_key  TEXT UNIQUE,
    -- Nothing of the team leaves its history before this instant; NULL before its first check has ended, and where nothing will ever
    -- leave. The end of a check sets it back, since an older one may no longer be the latest of its site; so does a plan of another
    -- length. The purge looks at the teams that are due, and writes down when the next check will leave.
    purge_due_at  INTEGER,
    -- Before this instant nothing of the team is purged: set when its history gets shorter, so that a mistake can be undone.
    held_until    INTEGER
) STRICT;

-- The list of all teams.
CREATE INDEX teams_by_creation ON teams (created_at, id);
-- Whether a plan may be deleted, and which teams a changed plan concerns.
CREATE INDEX teams_by_plan ON teams (plan_code);
-- The purge's: which teams are to be looked at.
CREATE INDEX teams_by_purge ON teams (purge_due_at, id) WHERE purge_due_at IS NOT NULL;

-- White label. What a team has not set is NULL; a team without a row has set nothing.
CREATE TABLE brands (
    team_id         TEXT PRIMARY KEY NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    name            TEXT,
    -- As #rrggbb.
    colour          TEXT,
    -- PNG, JPEG or WebP.
    logo            BLOB,
    -- At the head of its drafts of conformance reports; NULL for what it leaves to the person who completes a draft.
    product_version TEXT,
    contact         TEXT,
    evaluator       TEXT
) STRICT;

CREATE TABLE tokens (
    id         TEXT PRIMARY KEY NOT NULL,
    team_id    TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    abilities  TEXT NOT NULL CHECK (json_valid(abilities)),
    -- SHA-256 of the token, which itself is stored nowhere. Every request looks its token up by it.
    hash       BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    created_at INTEGER NOT NULL
) STRICT;

-- The list of a team's tokens.
CREATE INDEX tokens_by_team ON tokens (team_id, created_at, id);
