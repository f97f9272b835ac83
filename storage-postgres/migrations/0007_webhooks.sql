-- Webhooks: where teams want to be told, what they are told, and how far the telling has come.

CREATE TABLE endpoints (
    id              text COLLATE "C" PRIMARY KEY,
    team_id         text COLLATE "C" NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    url             text NOT NULL,
    events          text[] NOT NULL,
    -- In the clear, by necessity: it signs, and a hash can't. Whoever reads this table, or a backup of it, can forge
    -- deliveries.
    secret          text NOT NULL,
    -- The one before it, and until when it signs along.
    previous_secret text,
    previous_until  timestamptz,
    -- Deliveries that failed every attempt since the last one that was received.
    failed_in_a_row bigint NOT NULL,
    -- Since when it is switched off; NULL while it is on.
    off_since       timestamptz,
    created_at      timestamptz NOT NULL,
    CONSTRAINT endpoints_previous_is_whole CHECK (num_nonnulls(previous_secret, previous_until) IN (0, 2))
);

-- The list of a team's endpoints, and their number.
CREATE INDEX endpoints_by_team ON endpoints (team_id, created_at, id);

-- What is told, once for all deliveries of it: the bytes are written when it happens, and every attempt sends the same.
-- A row goes with the last delivery of it. It does not hang on the check or the site that it tells of.
CREATE TABLE events (
    id         text COLLATE "C" PRIMARY KEY,
    team_id    text COLLATE "C" NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    kind       text NOT NULL,
    created_at timestamptz NOT NULL,
    body       bytea NOT NULL
);

-- Events on the way to endpoints. A row is written at most a dozen times: by a claim and a result for each attempt.
CREATE TABLE deliveries (
    id               text COLLATE "C" PRIMARY KEY,
    team_id          text COLLATE "C" NOT NULL,
    endpoint_id      text COLLATE "C" NOT NULL REFERENCES endpoints (id) ON DELETE CASCADE,
    event_id         text COLLATE "C" NOT NULL REFERENCES events (id),
    created_at       timestamptz NOT NULL,
    state            text NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'dropped')),
    -- Attempts that have ended.
    attempts         bigint NOT NULL,
    -- Grows with every claim. A result that comes with an earlier one is refused.
    token            bigint NOT NULL,
    -- The delivery whose first attempt this one waits for.
    after_id         text COLLATE "C",
    -- From when on a worker may take it. While an attempt is under way, that is the end of its lease: one column answers
    -- both what is due and what was left by a worker that died.
    next_attempt_at  timestamptz,
    -- Who makes the attempt that is under way, and since when.
    lease_worker     text,
    lease_started_at timestamptz,
    finished_at      timestamptz,
    CONSTRAINT deliveries_state_is_whole CHECK (
        CASE
            WHEN state <> 'pending' THEN
                finished_at IS NOT NULL
                AND num_nonnulls(after_id, next_attempt_at, lease_worker, lease_started_at) = 0
            ELSE
                finished_at IS NULL
                AND num_nonnulls(after_id, next_attempt_at) = 1
                AND (lease_worker IS NULL) = (lease_started_at IS NULL)
                AND (lease_worker IS NULL OR after_id IS NULL)
        END
    )
) WITH (
    -- Each claim walks past the rows that have moved on since the last vacuum.
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 50
);

-- Whether anything is due at all: what a claim that finds nothing reads.
CREATE INDEX deliveries_due ON deliveries (next_attempt_at, id) WHERE state = 'pending';
-- What is due, endpoint by endpoint, first attempts apart from later ones: a claim takes a few of each, and passes over a
-- long queue in one step.
CREATE INDEX deliveries_due_first ON deliveries (endpoint_id, next_attempt_at, id)
    WHERE state = 'pending' AND attempts = 0;
CREATE INDEX deliveries_due_again ON deliveries (endpoint_id, next_attempt_at, id)
    WHERE state = 'pending' AND attempts > 0;
-- What a worker has under way.
CREATE INDEX deliveries_by_worker ON deliveries (lease_worker) WHERE lease_worker IS NOT NULL;
-- What waits for a first attempt that has ended.
CREATE INDEX deliveries_blocked ON deliveries (after_id) WHERE after_id IS NOT NULL;
-- The list of an endpoint's deliveries, newest first, and what goes with the endpoint.
CREATE INDEX deliveries_by_endpoint ON deliveries (endpoint_id, created_at, id);
-- Whether an event is needed still.
CREATE INDEX deliveries_by_event ON deliveries (event_id);
-- The purge's: what ended longest ago.
CREATE INDEX deliveries_ended ON deliveries (finished_at, id) WHERE finished_at IS NOT NULL;

-- The log of attempts that have ended. Rows are inserted, never changed, and go with their delivery.
CREATE TABLE delivery_attempts (
    delivery_id  text COLLATE "C" NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
    team_id      text COLLATE "C" NOT NULL,
    number       bigint NOT NULL,
    started_at   timestamptz NOT NULL,
    ended_at     timestamptz NOT NULL,
    -- Microseconds.
    duration     bigint NOT NULL,
    -- The answer, or why there was none.
    status       bigint,
    excerpt      text,
    failure      text,
    PRIMARY KEY (delivery_id, number),
    CONSTRAINT delivery_attempts_result_is_one CHECK (
        num_nonnulls(status, excerpt) = CASE WHEN failure IS NULL THEN 2 ELSE 0 END
    )
);
