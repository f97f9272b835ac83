-- Which teams demand a second factor of their members. Nodes of the release before know nothing of it, and let everybody in.

ALTER TABLE teams ADD COLUMN demands_two_steps boolean NOT NULL DEFAULT false;
