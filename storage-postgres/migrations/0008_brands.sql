-- White label: what a team's files show in place of the product's own name and looks, and which of it a kept document shows.
--
-- What a team has not set is NULL. A team without a row has set nothing.
CREATE TABLE brands (
    team_id text COLLATE "C" PRIMARY KEY REFERENCES teams (id),
    name    text,
    -- As #rrggbb.
    colour  text,
    -- PNG, JPEG or WebP, which are compressed already (STORAGE EXTERNAL).
    logo    bytea
);
ALTER TABLE brands ALTER COLUMN logo SET STORAGE EXTERNAL;

-- A fingerprint of 16 bytes. Documents from before this have none, and are rendered anew when they are asked for.
ALTER TABLE documents ADD COLUMN look bytea NOT NULL DEFAULT '' CHECK (octet_length(look) IN (0, 16));
