-- How many requests came within the present minute: by token, and by address where there was no valid token.
--
-- UNLOGGED, because a count is worth nothing after a crash and every request writes one. Rows are changed in place: half
-- of each page is left free and no index covers what changes with a request, so that PostgreSQL makes heap-only updates
-- and the table does not grow.

CREATE UNLOGGED TABLE request_counters (
    -- A token's id, or an address.
    key                text COLLATE "C" PRIMARY KEY,
    -- The window of requests of any kind; NULL where none has begun.
    general_started_at timestamptz,
    general_used       bigint NOT NULL,
    -- The window of requests for files.
    files_started_at   timestamptz,
    files_used         bigint NOT NULL,
    -- The latest request, and what it was told: by these, the statement that counts it learns what it did.
    counted_at         timestamptz NOT NULL,
    admitted           boolean NOT NULL,
    -- When the last window ends, and the row can be forgotten. Changes when a window begins, not with each request.
    ends_at            timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE INDEX request_counters_by_end ON request_counters (ends_at);
