-- The long form of a report as a PDF is a kind of document of its own, kept beside the short one.
--
-- Nodes of the release before never ask for it, and delete it with its check. NOT VALID: every row has one of the earlier kinds,
-- which the new constraint lets in, too, so nothing has to be read under the lock.
ALTER TABLE documents DROP CONSTRAINT documents_kind_check;
ALTER TABLE documents
    ADD CONSTRAINT documents_kind_check CHECK (kind IN ('report', 'full-report', 'conformance-report')) NOT VALID;
