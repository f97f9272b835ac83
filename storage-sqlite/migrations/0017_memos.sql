-- What the latest completed check of a site remembers for the next one: decision 0062. A row is replaced with each check, and counts
-- only while its check is the latest completed one.

CREATE TABLE memos (
    site_id      TEXT PRIMARY KEY NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    team_id      TEXT NOT NULL,
    scan_id      TEXT NOT NULL,
    full_at      INTEGER NOT NULL,
    barred_until INTEGER,
    document     BLOB NOT NULL
) STRICT;
