-- The standard against which a site is checked, as a word of `StandardId`; NULL for the operator's choice for all sites. Nodes of the
-- release before read past it and check against the default.
ALTER TABLE sites
    ADD COLUMN standard text;

-- What a team says at the head of its drafts of conformance reports; NULL for what it leaves to the person who completes a draft.
-- Nodes of the release before read past it, and keep it when they change the rest of a row.
ALTER TABLE brands
    ADD COLUMN product_version text,
    ADD COLUMN contact         text,
    ADD COLUMN evaluator       text;
