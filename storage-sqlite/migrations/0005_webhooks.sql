-- Webhooks: the endpoints of teams, the events that are sent to them, and how far each delivery has come.

CREATE TABLE endpoints (
    id                   TEXT PRIMARY KEY NOT NULL,
    team_id              TEXT NOT NULL REFERENCES teams (id),
    url                  TEXT NOT NULL,
    events               TEXT NOT NULL CHECK (json_valid(events)),
    -- Secrets are sealed. The key is with the server; here is only its id, so that it can be told which keys a backup needs.
    sealed_secret        BLOB NOT NULL,
    sealed_with          TEXT NOT NULL,
    -- The secret before it, and until when it also signs.
    sealed_previous      BLOB,
    sealed_previous_with TEXT,
    previous_until       INTEGER,
    -- Deliveries that failed every attempt since the last one that was received.
    failed_in_a_row      INTEGER NOT NULL,
    -- The instant at which it was switched off; NULL while it is on.
    off_since            INTEGER,
    created_at           INTEGER NOT NULL,
    CONSTRAINT endpoints_previous_is_whole CHECK (
        (sealed_previous IS NULL) + (sealed_previous_with IS NULL) + (previous_until IS NULL) IN (0, 3)
    )
) STRICT;

-- The list of a team's endpoints, and their number.
CREATE INDEX endpoints_by_team ON endpoints (team_id, created_at, id);
-- How many endpoints are switched off; few are.
CREATE INDEX endpoints_off ON endpoints (off_since) WHERE off_since IS NOT NULL;

-- An event, once for all deliveries of it: the bytes are written when it happens, and every attempt sends the same. A row goes with
-- the last delivery of it. It does not hang on the check or the site that it is about.
CREATE TABLE events (
    id         TEXT PRIMARY KEY NOT NULL,
    team_id    TEXT NOT NULL REFERENCES teams (id),
    kind       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    body       BLOB NOT NULL
) STRICT;

-- The foreign key's.
CREATE INDEX events_by_team ON events (team_id);

CREATE TABLE deliveries (
    id               TEXT PRIMARY KEY NOT NULL,
    team_id          TEXT NOT NULL,
    endpoint_id      TEXT NOT NULL REFERENCES endpoints (id),
    event_id         TEXT NOT NULL REFERENCES events (id),
    created_at       INTEGER NOT NULL,
    state            TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'dropped')),
    -- Attempts that have ended.
    attempts         INTEGER NOT NULL,
    -- How often the attempt that is under way was begun.
    tries            INTEGER NOT NULL,
    -- Grows with every claim. A result that comes with an earlier one is refused.
    token            INTEGER NOT NULL,
    -- The delivery whose first attempt this one waits for.
    after_id         TEXT,
    -- The instant from which a worker may take it. While an attempt is under way, that is the end of its lease: one column answers
    -- both what is due and what was left by a worker that died.
    next_attempt_at  INTEGER,
    lease_worker     TEXT,
    lease_started_at INTEGER,
    finished_at      INTEGER,
    CONSTRAINT deliveries_state_is_whole CHECK (
        CASE
            WHEN state <> 'pending' THEN
                finished_at IS NOT NULL
                AND after_id IS NULL AND next_attempt_at IS NULL AND lease_worker IS NULL AND lease_started_at IS NULL
            ELSE
                finished_at IS NULL
                AND (after_id IS NULL) <> (next_attempt_at IS NULL)
                AND (lease_worker IS NULL) = (lease_started_at IS NULL)
                AND (lease_worker IS NULL OR after_id IS NULL)
        END
    )
) STRICT;

-- Whether anything is due at all: what a claim that finds nothing reads.
CREATE INDEX deliveries_due ON deliveries (next_attempt_at, id) WHERE state = 'pending';
-- What is due, endpoint by endpoint, first attempts apart from later ones: a claim takes a few of each, and skips a long queue in
-- one step.
CREATE INDEX deliveries_due_first ON deliveries (endpoint_id, next_attempt_at, id) WHERE state = 'pending' AND attempts = 0;
CREATE INDEX deliveries_due_again ON deliveries (endpoint_id, next_attempt_at, id) WHERE state = 'pending' AND attempts > 0;
-- What a worker has under way.
CREATE INDEX deliveries_by_worker ON deliveries (lease_worker) WHERE lease_worker IS NOT NULL;
-- What is lost, or will be when its lease ends: what each claim looks at first. It is empty as long as workers live.
CREATE INDEX deliveries_last_tries ON deliveries (next_attempt_at, id) WHERE state = 'pending' AND tries >= 3;
-- What waits for a first attempt that has ended.
CREATE INDEX deliveries_blocked ON deliveries (after_id) WHERE after_id IS NOT NULL;
-- The list of an endpoint's deliveries, newest first, and what goes with the endpoint.
CREATE INDEX deliveries_by_endpoint ON deliveries (endpoint_id, created_at, id);
-- Whether an event is still needed.
CREATE INDEX deliveries_by_event ON deliveries (event_id);
-- The purge's: what ended longest ago.
CREATE INDEX deliveries_ended ON deliveries (finished_at, id) WHERE finished_at IS NOT NULL;

-- The log of attempts that have ended. Rows are inserted, never changed, and go with their delivery.
CREATE TABLE delivery_attempts (
    delivery_id TEXT NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
    team_id     TEXT NOT NULL,
    number      INTEGER NOT NULL,
    started_at  INTEGER NOT NULL,
    ended_at    INTEGER NOT NULL,
    -- Microseconds.
    duration    INTEGER NOT NULL,
    -- The answer, or why there was none.
    status      INTEGER,
    excerpt     TEXT,
    failure     TEXT,
    PRIMARY KEY (delivery_id, number),
    CONSTRAINT delivery_attempts_result_is_one CHECK (
        (status IS NULL) = (excerpt IS NULL) AND (status IS NULL) <> (failure IS NULL)
    )
) STRICT, WITHOUT ROWID;
