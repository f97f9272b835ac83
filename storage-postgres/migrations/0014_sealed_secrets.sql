-- Secrets of endpoints, sealed: whoever reads this table, or a backup of it, can't sign with them. The key is with the servers;
-- here is only its id, `key_` and 16 hexadecimal digits, so that it can be told which keys a backup needs.
--
-- `secret` and `previous_secret` hold what servers of the release before wrote, until a server of this one has started and sealed
-- it. Those of the release before that still run then sign no more deliveries of these endpoints; the deliveries wait for others.

ALTER TABLE endpoints
    ADD COLUMN sealed_secret        bytea,
    ADD COLUMN sealed_with          text COLLATE "C",
    ADD COLUMN sealed_previous      bytea,
    ADD COLUMN sealed_previous_with text COLLATE "C",
    ALTER COLUMN secret DROP NOT NULL,
    DROP CONSTRAINT endpoints_previous_is_whole,
    -- Each secret is there once, sealed or not. An endpoint is one of five of its team at most: the table is not large, and what
    -- is in it is looked through at once.
    ADD CONSTRAINT endpoints_secret_is_one CHECK (num_nonnulls(secret, sealed_secret) = 1),
    ADD CONSTRAINT endpoints_previous_is_whole CHECK (
        num_nonnulls(previous_secret, sealed_previous) = num_nonnulls(previous_until)
    ),
    ADD CONSTRAINT endpoints_sealing_is_whole CHECK (
        (sealed_secret IS NULL) = (sealed_with IS NULL) AND (sealed_previous IS NULL) = (sealed_previous_with IS NULL)
    );

-- What is sealed with which key: a rotation asks for all that the new one does not seal.
CREATE INDEX endpoints_by_sealing_key ON endpoints (sealed_with);
CREATE INDEX endpoints_by_previous_sealing_key ON endpoints (sealed_previous_with)
    WHERE sealed_previous_with IS NOT NULL;
-- What is not sealed yet: nothing, once all servers are of this release.
CREATE INDEX endpoints_unsealed ON endpoints (id) WHERE secret IS NOT NULL OR previous_secret IS NOT NULL;
