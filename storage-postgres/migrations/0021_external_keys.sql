-- The key under which a host program knows a team, by which the team is found or made.

-- NULL for teams that were made without one, and for those of nodes of the release before. What makes two calls at once agree is the
-- constraint; its index is built over a column without a value, in the time that it takes to read the teams once.
ALTER TABLE teams ADD COLUMN external_key text COLLATE "C" UNIQUE;
