-- People, their sessions and memberships, invitations, and the audit log.
--
-- Secrets are kept as their SHA-256, by which they are looked up: of sessions, of invitations, of the link for the first person. Codes,
-- instants and ids are as in the first migration; addresses of machines are text.

CREATE TABLE people (
    id         TEXT PRIMARY KEY NOT NULL,
    -- In lower case, so that nobody has another one's address in another spelling.
    email      TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    locale     TEXT NOT NULL,
    kind       TEXT NOT NULL,
    -- A hash with its salt and its parameters, in the PHC string format; NULL for who has no password.
    password   TEXT,
    created_at INTEGER NOT NULL
) STRICT;

-- The list of all persons.
CREATE INDEX people_by_creation ON people (created_at, id);

-- The link with which the first person is created: at most one, so that a later one takes the place of an earlier one.
CREATE TABLE first_link (
    number  INTEGER PRIMARY KEY NOT NULL CHECK (number = 1),
    hash    BLOB NOT NULL CHECK (length(hash) = 32),
    ends_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
    id           TEXT PRIMARY KEY NOT NULL,
    person_id    TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    hash         BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    browser      TEXT NOT NULL,
    address      TEXT,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL
) STRICT;

-- The list of a person's sessions.
CREATE INDEX sessions_by_person ON sessions (person_id, created_at);
-- The purge's: which sessions are over, for either reason.
CREATE INDEX sessions_by_use ON sessions (last_used_at);
CREATE INDEX sessions_by_creation ON sessions (created_at);

-- Their number is the number of seats that the team uses, which the step that changes them writes into its row.
CREATE TABLE memberships (
    team_id   TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    person_id TEXT NOT NULL REFERENCES people (id),
    role      TEXT NOT NULL,
    since     INTEGER NOT NULL,
    PRIMARY KEY (team_id, person_id)
) STRICT;

-- The teams of a person.
CREATE INDEX memberships_by_person ON memberships (person_id);

CREATE TABLE invitations (
    id         TEXT PRIMARY KEY NOT NULL,
    team_id    TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    email      TEXT NOT NULL,
    role       TEXT NOT NULL,
    -- No foreign key: an invitation outlives the membership of who made it.
    invited_by TEXT,
    hash       BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    created_at INTEGER NOT NULL,
    -- One for each address: a later one takes the place of an earlier one.
    UNIQUE (team_id, email)
) STRICT;

-- The purge's: which invitations are over.
CREATE INDEX invitations_by_creation ON invitations (created_at);

CREATE TABLE audit_records (
    id        TEXT PRIMARY KEY NOT NULL,
    -- NULL for what concerns persons or the installation.
    team_id   TEXT REFERENCES teams (id) ON DELETE CASCADE,
    -- No foreign key: an entry outlives the person.
    person_id TEXT,
    actor     TEXT NOT NULL,
    action    TEXT NOT NULL,
    subject   TEXT NOT NULL,
    address   TEXT,
    at        INTEGER NOT NULL
) STRICT;

-- The log of a team.
CREATE INDEX audit_records_by_team ON audit_records (team_id, at, id);
-- The purge's: which entries are old enough.
CREATE INDEX audit_records_by_age ON audit_records (at);
