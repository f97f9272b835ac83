-- Mail to people, and who wants notices.

ALTER TABLE people ADD COLUMN notices INTEGER NOT NULL DEFAULT 1 CHECK (notices IN (0, 1));

-- The last notice about a site: of which failure, and when.
ALTER TABLE sites ADD COLUMN noticed_at INTEGER;
ALTER TABLE sites ADD COLUMN noticed_code TEXT;

-- What a mail is about, and how far its sending has come. No text and no secret of it is kept: of the link in it, the SHA-256.
CREATE TABLE mails (
    id           TEXT PRIMARY KEY NOT NULL,
    kind         TEXT NOT NULL,
    -- NULL for what concerns a person.
    team_id      TEXT REFERENCES teams (id) ON DELETE CASCADE,
    -- The id of an invitation, a check or an endpoint. No foreign key: what is gone is found when the mail is to be sent.
    about        TEXT NOT NULL,
    email        TEXT NOT NULL,
    locale       TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('waiting', 'attempting', 'sent', 'failed', 'dropped')),
    attempts     INTEGER NOT NULL,
    token        INTEGER NOT NULL,
    lease_worker TEXT,
    -- The instant of the next attempt, or of the end of the lease; NULL once it has ended.
    due_at       INTEGER,
    finished_at  INTEGER,
    reason       TEXT,
    link_hash    BLOB UNIQUE CHECK (link_hash IS NULL OR length(link_hash) = 32),
    -- The instant of the attempt that sends the link.
    link_at      INTEGER
) STRICT;

-- What is due.
CREATE INDEX mails_due ON mails (due_at, id) WHERE due_at IS NOT NULL;
-- The links for another password of an address.
CREATE INDEX mails_by_address ON mails (email, created_at) WHERE kind = 'password.reset';
-- What has ended: the purge's, and the operator's list.
CREATE INDEX mails_by_end ON mails (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX mails_failed ON mails (finished_at, id) WHERE state = 'failed';
-- The deletion of a team.
CREATE INDEX mails_by_team ON mails (team_id) WHERE team_id IS NOT NULL;
