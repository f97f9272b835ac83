-- The second factors of people's sign-ins. Servers of the release before know nothing of them, and ask for the password alone: they should
-- have ended before the first person switches one on.

CREATE TABLE second_factors (
    person_id   text COLLATE "C" PRIMARY KEY REFERENCES people (id),
    -- The secret that the person's app has, sealed. The key is with the servers; here is only its id.
    secret      bytea NOT NULL,
    sealed_with text COLLATE "C" NOT NULL,
    -- The number of the latest period of 30 seconds of which a code was taken: none of it is taken again.
    last_period bigint NOT NULL,
    -- The SHA-256 of each recovery code that was not used, one after the other.
    recovery    bytea NOT NULL CHECK (octet_length(recovery) % 32 = 0),
    since       timestamptz NOT NULL
);

-- What is sealed with which key: a rotation asks for all that the new one does not seal.
CREATE INDEX second_factors_by_sealing_key ON second_factors (sealed_with);
