-- Mail to people, and who wants notices.
--
-- Words, instants and ids are as in the first migration. A kind has no CHECK: one that only a later release knows is left to it. Rows go
-- with their team, also where a node of the release before deletes it.

ALTER TABLE people ADD COLUMN notices boolean NOT NULL DEFAULT true;

-- The last notice about a site: of which failure, and when.
ALTER TABLE sites ADD COLUMN noticed_at timestamptz;
ALTER TABLE sites ADD COLUMN noticed_code text;

-- What a mail is about, and how far its sending has come. No text and no secret of it is kept: of the link in it, the SHA-256.
CREATE TABLE mails (
    id           text COLLATE "C" PRIMARY KEY,
    kind         text NOT NULL,
    -- NULL for what concerns a person.
    team_id      text COLLATE "C" REFERENCES teams (id) ON DELETE CASCADE,
    -- The id of an invitation, a check or an endpoint. No foreign key: what is gone is found when the mail is to be sent.
    about        text COLLATE "C" NOT NULL,
    email        text COLLATE "C" NOT NULL,
    locale       text NOT NULL,
    created_at   timestamptz NOT NULL,
    state        text NOT NULL CHECK (state IN ('waiting', 'attempting', 'sent', 'failed', 'dropped')),
    attempts     bigint NOT NULL,
    token        bigint NOT NULL,
    lease_worker text,
    -- The instant of the next attempt, or of the end of the lease; NULL once it has ended.
    due_at       timestamptz,
    finished_at  timestamptz,
    reason       text,
    link_hash    bytea UNIQUE CHECK (octet_length(link_hash) = 32),
    -- The instant of the attempt that sends the link.
    link_at      timestamptz
);

-- What is due.
CREATE INDEX mails_due ON mails (due_at, id) WHERE due_at IS NOT NULL;
-- The links for another password of an address.
CREATE INDEX mails_by_address ON mails (email, created_at) WHERE kind = 'password.reset';
-- What has ended: the purge's, and the operator's list.
CREATE INDEX mails_by_end ON mails (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX mails_failed ON mails (finished_at, id) WHERE state = 'failed';
-- The deletion of a team.
CREATE INDEX mails_by_team ON mails (team_id) WHERE team_id IS NOT NULL;
