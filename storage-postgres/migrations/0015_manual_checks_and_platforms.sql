-- What a site remembers of manual checks that failed through our own fault, and the platform that was named by itself.
--
-- A manual check that failed so does not count, once per interval: `last_manual_at` goes back to `previous_manual_at`, and
-- `manual_given_back_at` says when the check was started that was given back. Nodes of the release before write neither, which
-- makes every failed check count, as it did for them.
ALTER TABLE sites
    ADD COLUMN previous_manual_at   timestamptz,
    ADD COLUMN manual_given_back_at timestamptz,
    -- The older form of `stack`, where it was used; `stack` has it as its first then.
    ADD COLUMN platform             text;
