-- The second factors of people's sign-ins.

CREATE TABLE second_factors (
    person_id   TEXT PRIMARY KEY NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    -- The secret that the person's app has, sealed. The key is with the server; here is only its id.
    secret      BLOB NOT NULL,
    sealed_with TEXT NOT NULL,
    -- The number of the latest period of 30 seconds of which a code was taken: none of it is taken again.
    last_period INTEGER NOT NULL,
    -- The SHA-256 of each recovery code that was not used, one after the other.
    recovery    BLOB NOT NULL CHECK (length(recovery) % 32 = 0),
    since       INTEGER NOT NULL
) STRICT;
