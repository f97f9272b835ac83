-- Plans, the teams that are on them, and the tokens by which teams come in.
--
-- Ids and codes are text in the collation "C": they are compared byte by byte, the same on every machine and in every
-- version of the operating system, and an id reads here as it does in the API.

CREATE TABLE plans (
    code     text COLLATE "C" PRIMARY KEY,
    -- The whole plan as core writes it down. Statements read single limits from it.
    document jsonb NOT NULL
);

CREATE TABLE teams (
    id            text COLLATE "C" PRIMARY KEY,
    name          text NOT NULL,
    plan_code     text COLLATE "C" NOT NULL REFERENCES plans (code),
    status        text NOT NULL CHECK (status IN ('trialing', 'active', 'past_due', 'canceled')),
    ends_at       timestamptz,
    trial_ends_at timestamptz,
    standing      text NOT NULL CHECK (standing IN ('active', 'blocked')),
    seats_used    bigint NOT NULL,
    created_at    timestamptz NOT NULL
);

CREATE TABLE tokens (
    id         text COLLATE "C" PRIMARY KEY,
    team_id    text COLLATE "C" NOT NULL REFERENCES teams (id),
    name       text NOT NULL,
    abilities  text[] NOT NULL,
    -- SHA-256 of the token, which itself is stored nowhere.
    hash       bytea NOT NULL CHECK (octet_length(hash) = 32),
    created_at timestamptz NOT NULL
);

-- Every request looks its token up here.
CREATE UNIQUE INDEX tokens_by_hash ON tokens (hash);
-- The list of a team's tokens.
CREATE INDEX tokens_by_team ON tokens (team_id, created_at, id);
