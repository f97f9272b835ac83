-- The settings that go with the data: one value under each name, as core writes it. Names that a server does not know belong to a
-- later release.
CREATE TABLE settings (
    name  TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
