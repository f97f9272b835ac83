-- The settings that all servers of one database share, and how long the purge holds off after a history was shortened.

-- One value under each name, as core writes it down. Servers read all of it when they start; names that they don't know
-- belong to a later release.
CREATE TABLE settings (
    name  text COLLATE "C" PRIMARY KEY,
    value text NOT NULL
);

-- Before this instant nothing of the team is purged: set when its history gets shorter, so that a mistake can be undone.
-- `due_at` is never earlier, so that the purge's index leads past teams that are held.
ALTER TABLE retention ADD COLUMN held_until timestamptz;
