-- Whether a check may take over what has not changed: decision 0062. NULL where a release queued the check that knew nothing of it:
-- then the kind of the check decides.

ALTER TABLE scans ADD COLUMN incremental INTEGER CHECK (incremental IN (0, 1));
