-- Who made a token, in words, and the day (in UTC) of its last use: written at most once a day for each token.

ALTER TABLE tokens ADD COLUMN created_by TEXT;
ALTER TABLE tokens ADD COLUMN last_used_on TEXT;
