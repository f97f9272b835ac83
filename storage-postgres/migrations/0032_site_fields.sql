-- Fields that teams add to their sites, and the values of sites.
--
-- Ids are as in the first migration. Rows go with their team, their site and their field, also where a node of the release before deletes
-- the team or the site.

CREATE TABLE site_fields (
    id      text COLLATE "C" PRIMARY KEY,
    team_id text COLLATE "C" NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    name    text NOT NULL,
    -- NULL for a field that takes any text.
    choices text[]
);

-- The fields of a team, in their order.
CREATE INDEX site_fields_by_team ON site_fields (team_id, id);

CREATE TABLE site_values (
    site_id  text COLLATE "C" NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    field_id text COLLATE "C" NOT NULL REFERENCES site_fields (id) ON DELETE CASCADE,
    -- That of both.
    team_id  text COLLATE "C" NOT NULL,
    value    text NOT NULL,
    PRIMARY KEY (site_id, field_id)
);

-- The values of a team's sites.
CREATE INDEX site_values_by_team ON site_values (team_id, site_id);
-- The cascade's, and the values that a change of a field must leave possible.
CREATE INDEX site_values_by_field ON site_values (field_id);
