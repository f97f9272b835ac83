-- What completed checks found, in full, and the files that belong to them.
--
-- All bytes are compressed before they come here. They are in this file, and not beside it, so that a result is stored in one
-- transaction and a backup is one file; decision 0045 has the figures. Each has a table of its own, so that nothing that
-- lists checks reads past them.
--
-- There are no foreign keys. Bytes are what takes long to delete, and while they are deleted nothing else can be written: a check is
-- deleted without them, and with it everybody's sight of them, and they follow a few checks at a time.

-- One document per check: JSON as core writes it, gzip-compressed.
CREATE TABLE findings (
    scan_id  TEXT PRIMARY KEY NOT NULL,
    team_id  TEXT NOT NULL,
    document BLOB NOT NULL
) STRICT;

-- Pictures: of elements, and of the first page (`screen`).
CREATE TABLE screenshots (
    scan_id TEXT NOT NULL,
    team_id TEXT NOT NULL,
    subject TEXT NOT NULL CHECK (subject IN ('element', 'screen')),
    -- Its number within the check.
    number  INTEGER NOT NULL,
    format  TEXT NOT NULL,
    width   INTEGER NOT NULL,
    height  INTEGER NOT NULL,
    bytes   BLOB NOT NULL,
    PRIMARY KEY (scan_id, subject, number)
) STRICT;

-- Documents that are rendered once from a completed check and kept, PDFs for example.
CREATE TABLE documents (
    scan_id    TEXT NOT NULL,
    team_id    TEXT NOT NULL,
    kind       TEXT NOT NULL,
    locale     TEXT NOT NULL,
    -- The hash of the style in which it was rendered.
    style_hash BLOB NOT NULL CHECK (length(style_hash) = 16),
    bytes      BLOB NOT NULL,
    PRIMARY KEY (scan_id, kind, locale)
) STRICT;

-- Checks that were deleted, and whose rows above are to follow.
CREATE TABLE deleted_scans (
    scan_id TEXT PRIMARY KEY NOT NULL
) STRICT, WITHOUT ROWID;
