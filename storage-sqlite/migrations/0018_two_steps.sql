-- Which teams demand a second factor of their members.

ALTER TABLE teams ADD COLUMN demands_two_steps INTEGER NOT NULL DEFAULT 0 CHECK (demands_two_steps IN (0, 1));
