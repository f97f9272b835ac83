-- Whether a check may take over what has not changed: decision 0062.
--
-- NULL where a node of the release before queued the check, which knows nothing of it: then the kind of the check decides, as it does
-- there. That node examines every page in a manual check, whatever this says.

ALTER TABLE scans ADD COLUMN incremental boolean;
