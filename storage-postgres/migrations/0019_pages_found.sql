-- How many pages a running check has found so far: what those that are done are on their way to.

-- NULL until it is first written. A node of the release before writes none, and leaves what an earlier attempt wrote: what is read is never
-- less than the pages that are done. No index has it, so a renewal stays a heap-only update.
ALTER TABLE active_scans ADD COLUMN pages_found bigint;
