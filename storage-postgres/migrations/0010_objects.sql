-- Files may lie in an object store: pictures and documents then have the upload that they came with in place of their bytes.

-- What was, or is about to be, written to the object store: a row is there before the first object is, and goes after the
-- last. So whatever happens in between, no object is forgotten.
--
-- There is no foreign key: the row outlives its check.
CREATE TABLE uploads (
    -- The check's id, a slash, and a ULID. The objects are named `name/one of objects`.
    name      text COLLATE "C" PRIMARY KEY,
    team_id   text COLLATE "C" NOT NULL,
    scan_id   text COLLATE "C" NOT NULL,
    objects   text[] NOT NULL,
    -- NULL once rows of pictures or documents refer to it. Until then, and when they do no more: from when on its objects
    -- may be deleted.
    delete_at timestamptz
);
-- What goes with a check.
CREATE INDEX uploads_by_scan ON uploads (scan_id);
-- The purge's.
CREATE INDEX uploads_to_delete ON uploads (delete_at, name) WHERE delete_at IS NOT NULL;

-- Bytes of an object; its name follows from the row.
ALTER TABLE screenshots
    ALTER COLUMN bytes DROP NOT NULL,
    ADD COLUMN upload text COLLATE "C",
    ADD COLUMN size bigint,
    ADD CONSTRAINT screenshots_are_somewhere CHECK (
        num_nonnulls(bytes, upload) = 1 AND (upload IS NULL) = (size IS NULL)
    ) NOT VALID;
ALTER TABLE documents
    ALTER COLUMN bytes DROP NOT NULL,
    ADD COLUMN upload text COLLATE "C",
    ADD COLUMN size bigint,
    ADD CONSTRAINT documents_are_somewhere CHECK (
        num_nonnulls(bytes, upload) = 1 AND (upload IS NULL) = (size IS NULL)
    ) NOT VALID;
