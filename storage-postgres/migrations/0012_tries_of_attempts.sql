-- How often an attempt was begun: what loses its worker three times counts as failed, and is not made for ever.

-- 0 while no attempt is under way, and where a node of the release before began it: then the count begins with the next one.
ALTER TABLE deliveries ADD COLUMN tries bigint NOT NULL DEFAULT 0;

-- What is lost, or will be when its lease ends: what each claim looks at first. It is empty as long as workers live. To build
-- it, the deliveries of a month are read once, and written again only afterwards.
CREATE INDEX deliveries_last_tries ON deliveries (next_attempt_at, id) WHERE state = 'pending' AND tries >= 3;
