-- What the deletion of a team, and the figures for operators, look for.
--
-- To build the first index, the events of a month are read once, and written again only afterwards.

-- The foreign key's: which events go with their team.
CREATE INDEX events_by_team ON events (team_id);
-- How many endpoints are switched off; few are.
CREATE INDEX endpoints_off ON endpoints (off_since) WHERE off_since IS NOT NULL;
