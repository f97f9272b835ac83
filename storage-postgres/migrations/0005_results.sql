-- What completed checks found, in full. The rows go with their check.
--
-- The bytes are compressed before they come here, so PostgreSQL need not try again (STORAGE EXTERNAL).

-- One document per check: JSON as core writes it down, gzip-compressed. Reading a report is one row, not thousands.
CREATE TABLE findings (
    scan_id  text COLLATE "C" PRIMARY KEY REFERENCES scans (id) ON DELETE CASCADE,
    team_id  text COLLATE "C" NOT NULL,
    document bytea NOT NULL
);
ALTER TABLE findings ALTER COLUMN document SET STORAGE EXTERNAL;

-- Pictures: of elements, and of the first page (`screen`).
CREATE TABLE screenshots (
    scan_id text COLLATE "C" NOT NULL REFERENCES scans (id) ON DELETE CASCADE,
    team_id text COLLATE "C" NOT NULL,
    subject text NOT NULL CHECK (subject IN ('element', 'screen')),
    -- Its number within the check.
    number  bigint NOT NULL,
    format  text NOT NULL CHECK (format IN ('png', 'webp')),
    width   bigint NOT NULL,
    height  bigint NOT NULL,
    bytes   bytea NOT NULL,
    PRIMARY KEY (scan_id, subject, number)
);
ALTER TABLE screenshots ALTER COLUMN bytes SET STORAGE EXTERNAL;
