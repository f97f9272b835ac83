-- Fields that teams add to their sites, and the values of sites.

CREATE TABLE site_fields (
    id      TEXT PRIMARY KEY NOT NULL,
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    name    TEXT NOT NULL,
    -- NULL for a field that takes any text.
    choices TEXT CHECK (json_valid(choices))
) STRICT;

-- The fields of a team, in their order.
CREATE INDEX site_fields_by_team ON site_fields (team_id, id);

CREATE TABLE site_values (
    site_id  TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    field_id TEXT NOT NULL REFERENCES site_fields (id) ON DELETE CASCADE,
    -- That of both.
    team_id  TEXT NOT NULL,
    value    TEXT NOT NULL,
    PRIMARY KEY (site_id, field_id)
) STRICT;

-- The values of a team's sites.
CREATE INDEX site_values_by_team ON site_values (team_id, site_id);
-- The cascade's, and the values that a change of a field must leave possible.
CREATE INDEX site_values_by_field ON site_values (field_id);
