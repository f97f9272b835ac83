-- Whether somebody waits for a queued or running check (`Urgency` of core), for the figures of the queue.

-- It can't be told from the kind of the check, since the first check of a new site is requested and `scheduled`. A node of the
-- release before writes none; as in the order of claims, its checks count as requested. No index: it is read where all that
-- waits is counted.
ALTER TABLE active_scans ADD COLUMN urgency text NOT NULL DEFAULT 'requested'
    CHECK (urgency IN ('requested', 'scheduled'));
-- What ranks at another instant than that of its queuing was queued by the schedule.
UPDATE active_scans SET urgency = 'scheduled' WHERE rank_at = queued_at + interval '6 hours';
