-- What the latest completed check of a site remembers for the next one: decision 0062.
--
-- Instants and ids are as in the first migration. A row is replaced with each check, and goes with it, also where a node of the
-- release before deletes the check. That release completes checks without replacing it: then it is of another check than the
-- latest, and counts for nothing.

CREATE TABLE memos (
    site_id      text COLLATE "C" PRIMARY KEY,
    team_id      text COLLATE "C" NOT NULL,
    -- No foreign key to the site: a check completes while it has its own row locked, and sites are locked before checks. The
    -- index serves the deletion of checks.
    scan_id      text COLLATE "C" NOT NULL UNIQUE REFERENCES scans (id) ON DELETE CASCADE,
    full_at      timestamptz NOT NULL,
    barred_until timestamptz,
    document     bytea NOT NULL
);
-- It is compressed before it comes here.
ALTER TABLE memos ALTER COLUMN document SET STORAGE EXTERNAL;
