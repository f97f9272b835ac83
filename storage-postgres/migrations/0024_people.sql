-- People, their sessions and memberships, invitations, and the audit log.
--
-- Secrets are kept as their SHA-256, by which they are looked up: of sessions, of invitations, of the link for the first person. Codes,
-- instants and ids are as in the first migration; addresses of machines are text.
-- Words have no CHECK: a role, a kind and an action that only a later release knows are kept, and give no right.

CREATE TABLE people (
    id         text COLLATE "C" PRIMARY KEY,
    -- In lower case, so that nobody has another one's address in another spelling.
    email      text COLLATE "C" NOT NULL UNIQUE,
    name       text NOT NULL,
    locale     text NOT NULL,
    kind       text NOT NULL,
    -- A hash with its salt and its parameters, in the PHC string format; NULL for who has no password.
    password   text,
    created_at timestamptz NOT NULL
);

-- The list of all persons.
CREATE INDEX people_by_creation ON people (created_at, id);

-- The link with which the first person is created: at most one, so that a later one takes the place of an earlier one.
CREATE TABLE first_link (
    number  integer PRIMARY KEY CHECK (number = 1),
    hash    bytea NOT NULL CHECK (octet_length(hash) = 32),
    ends_at timestamptz NOT NULL
);

CREATE TABLE sessions (
    id           text COLLATE "C" PRIMARY KEY,
    person_id    text COLLATE "C" NOT NULL REFERENCES people (id),
    hash         bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    browser      text NOT NULL,
    address      text,
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz NOT NULL
);

-- The list of a person's sessions.
CREATE INDEX sessions_by_person ON sessions (person_id, created_at);
-- The purge's: which sessions are over, for either reason.
CREATE INDEX sessions_by_use ON sessions (last_used_at);
CREATE INDEX sessions_by_creation ON sessions (created_at);

-- Their number is the number of seats that the team uses, which the step that changes them writes into its row.
CREATE TABLE memberships (
    team_id   text COLLATE "C" NOT NULL REFERENCES teams (id),
    person_id text COLLATE "C" NOT NULL REFERENCES people (id),
    role      text NOT NULL,
    since     timestamptz NOT NULL,
    PRIMARY KEY (team_id, person_id)
);

-- The teams of a person.
CREATE INDEX memberships_by_person ON memberships (person_id);

CREATE TABLE invitations (
    id         text COLLATE "C" PRIMARY KEY,
    team_id    text COLLATE "C" NOT NULL REFERENCES teams (id),
    email      text COLLATE "C" NOT NULL,
    role       text NOT NULL,
    -- No foreign key: an invitation outlives the membership of who made it.
    invited_by text COLLATE "C",
    hash       bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    created_at timestamptz NOT NULL,
    -- One for each address: a later one takes the place of an earlier one.
    UNIQUE (team_id, email)
);

-- The purge's: which invitations are over.
CREATE INDEX invitations_by_creation ON invitations (created_at);

CREATE TABLE audit_records (
    id        text COLLATE "C" PRIMARY KEY,
    -- NULL for what concerns persons or the installation.
    team_id   text COLLATE "C" REFERENCES teams (id),
    -- No foreign key: an entry outlives the person.
    person_id text COLLATE "C",
    actor     text NOT NULL,
    action    text NOT NULL,
    subject   text NOT NULL,
    address   text,
    at        timestamptz NOT NULL
);

-- The log of a team; of none, under the empty id.
CREATE INDEX audit_records_by_team ON audit_records (coalesce(team_id, ''), at, id);
-- The purge's: which entries are old enough.
CREATE INDEX audit_records_by_age ON audit_records (at);
