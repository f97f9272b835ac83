-- Documents that are rendered once from a completed check and kept, PDFs for example. The rows go with their check.
--
-- The bytes are compressed already (STORAGE EXTERNAL).
CREATE TABLE documents (
    scan_id text COLLATE "C" NOT NULL REFERENCES scans (id) ON DELETE CASCADE,
    team_id text COLLATE "C" NOT NULL,
    kind    text NOT NULL CHECK (kind IN ('report', 'conformance-report')),
    locale  text NOT NULL,
    bytes   bytea NOT NULL,
    PRIMARY KEY (scan_id, kind, locale)
);
ALTER TABLE documents ALTER COLUMN bytes SET STORAGE EXTERNAL;
