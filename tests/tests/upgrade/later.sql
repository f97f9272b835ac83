-- What a later release may do to the tables while nodes of this one run: add columns, widen the sets of words, and store
-- fields and words that this one does not know. All of it is named "later", by which the test finds it again.

ALTER TABLE teams DROP CONSTRAINT teams_status_check, DROP CONSTRAINT teams_standing_check;
ALTER TABLE scans DROP CONSTRAINT scans_kind_check;
ALTER TABLE screenshots DROP CONSTRAINT screenshots_format_check;
ALTER TABLE documents DROP CONSTRAINT documents_kind_check;

ALTER TABLE plans ADD COLUMN later_column text NOT NULL DEFAULT 'later';
ALTER TABLE teams ADD COLUMN later_column text NOT NULL DEFAULT 'later';
ALTER TABLE tokens ADD COLUMN later_column text NOT NULL DEFAULT 'later';
ALTER TABLE brands ADD COLUMN later_column text NOT NULL DEFAULT 'later';
ALTER TABLE sites ADD COLUMN later_column text NOT NULL DEFAULT 'later';
ALTER TABLE active_scans ADD COLUMN later_column text NOT NULL DEFAULT 'later';
ALTER TABLE scans ADD COLUMN later_column text NOT NULL DEFAULT 'later';
ALTER TABLE findings ADD COLUMN later_column text NOT NULL DEFAULT 'later';
ALTER TABLE screenshots ADD COLUMN later_column text NOT NULL DEFAULT 'later';
ALTER TABLE documents ADD COLUMN later_column text NOT NULL DEFAULT 'later';
ALTER TABLE endpoints ADD COLUMN later_column text NOT NULL DEFAULT 'later';
ALTER TABLE events ADD COLUMN later_column text NOT NULL DEFAULT 'later';
ALTER TABLE deliveries ADD COLUMN later_column text NOT NULL DEFAULT 'later';
ALTER TABLE delivery_attempts ADD COLUMN later_column text NOT NULL DEFAULT 'later';
ALTER TABLE retention ADD COLUMN later_column text NOT NULL DEFAULT 'later';
ALTER TABLE scan_events ADD COLUMN later_column text NOT NULL DEFAULT 'later';
ALTER TABLE event_head ADD COLUMN later_column text NOT NULL DEFAULT 'later';
ALTER TABLE settings ADD COLUMN later_column text NOT NULL DEFAULT 'later';
CREATE TABLE later_table (team_id text PRIMARY KEY, later_column text);

UPDATE plans SET document = document || jsonb_build_object(
    'later_field', '{"deep": ["later", null, 1.5]}'::jsonb,
    'features', document -> 'features' || '{"later_feature": true}',
    'limits', document -> 'limits' || '{"later_limit": 5}'
);
UPDATE plans SET document = jsonb_set(document, '{limits,check_frequency}', '"later_hourly"') WHERE code = 'pro';
UPDATE teams SET status = 'later_on_hold' WHERE name = 'Kontor';
UPDATE teams SET standing = 'later_suspended' WHERE name = 'Shut out';
UPDATE tokens SET abilities = abilities || '{later:admin}';
UPDATE brands SET logo = '<svg xmlns="later"/>';
UPDATE sites SET report_locale = 'later' WHERE name = 'A picture';
UPDATE scans SET kind = 'later_import' WHERE finished_at IS NOT NULL AND kind = 'scheduled';
UPDATE scans SET outcome = outcome || jsonb_build_object(
    'later_field', 1,
    'totals', outcome -> 'totals' || '{"later_severity": 3}',
    'engine', outcome -> 'engine' || '{"later_version": "later"}',
    'diff', outcome -> 'diff' || '{"later_moved": []}'
) WHERE outcome IS NOT NULL;
UPDATE scans SET failure = failure || '{"code": "later_code", "later_field": {"later": 1}}' WHERE failure IS NOT NULL;
UPDATE screenshots SET format = 'later_avif' WHERE subject = 'element';
INSERT INTO documents (scan_id, team_id, kind, locale, bytes, look)
    SELECT scan_id, team_id, 'later_report', 'later', bytes, look FROM documents;
UPDATE endpoints SET events = events || '{later.kind}';
UPDATE events SET kind = 'later.kind' WHERE kind = 'issues.new';
UPDATE delivery_attempts SET failure = 'later_reason' WHERE failure IS NOT NULL;
