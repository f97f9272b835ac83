-- The data of `seed.sql`, for SQLite: the same rows under the same ids, so that the same steps find the same. `{now}` is the present in
-- microseconds since 1970. Tokens are added by the bench, since SQLite has no SHA-256.

CREATE TEMP TABLE numbers (n INTEGER PRIMARY KEY);
INSERT INTO numbers
    WITH RECURSIVE counted(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n < {teams} * {sites} * {checks} - 1)
    SELECT n FROM counted;

INSERT INTO teams (id, name, plan_code, status, standing, seats_used, created_at, purge_due_at)
    SELECT 'team_01J0000000' || printf('%016d', n), 'Team ' || n,
        CASE WHEN n % 20 = 0 THEN 'free' WHEN n % 3 = 1 THEN 'agency' ELSE 'pro' END,
        'active', 'active', 1, {now} - 31536000000000 + n * 1000000,
        -- The purge has to look at those with the short history, and has looked at the others.
        CASE WHEN n % 20 = 0 THEN 0 ELSE {now} + 86400000000 + n * 7919 % 2000000 * 1000000 END
    FROM numbers WHERE n < {teams};

INSERT INTO sites (id, team_id, url, domain, report_locale, stack, tags, next_scan_at, created_at)
    SELECT 'site_01J0000000' || printf('%016d', n), 'team_01J0000000' || printf('%016d', n / {sites}),
        'https://shop-' || n || '.example/', 'shop-' || n || '.example', 'en', '["shopify"]',
        CASE WHEN n % 2 = 0 THEN '["a","b"]' ELSE '[]' END,
        {now} + 86400000000 + n * 7919 % 604800 * 1000000, {now} - 31536000000000
    FROM numbers WHERE n < {teams} * {sites};

INSERT INTO scans (id, team_id, site_id, kind, pages_requested, queued_at, express, started_at, finished_at, outcome, problems)
    SELECT 'scan_01J0000000' || printf('%016d', n), 'team_01J0000000' || printf('%016d', n / ({sites} * {checks})),
        'site_01J0000000' || printf('%016d', n / {checks}), 'scheduled', 25, at, 0, at + 1000000, at + 60000000, '{outcome}', 7
    FROM (
        SELECT n, {now} - 3600000000 - n % {checks} * 604800000000 - n * 7919 % 86400 * 1000000 AS at
        FROM numbers WHERE n < {teams} * {sites} * {checks}
    );
INSERT INTO findings (scan_id, team_id, document) SELECT id, team_id, x'{findings}' FROM scans;
INSERT INTO screenshots (scan_id, team_id, subject, number, format, width, height, bytes)
    SELECT id, team_id, 'element', 1, 'png', 320, 200, x'89504e470d0a1a0a' FROM scans;

INSERT INTO scans (id, team_id, site_id, kind, pages_requested, queued_at, express)
    SELECT 'scan_01J0000000' || printf('%016d', {teams} * {sites} * {checks} + n), 'team_01J0000000' || printf('%016d', n / {sites}),
        'site_01J0000000' || printf('%016d', n), 'scheduled', 25, {now} - 600000000 + n * 1000, 0
    FROM numbers WHERE n < {teams} * {sites} AND n % {queued} = {queued} - 1;
INSERT INTO active_scans (site_id, scan_id, team_id, queued_at, rank_at, urgency)
    SELECT site_id, id, team_id, queued_at, {now}, 'requested' FROM scans WHERE finished_at IS NULL;
UPDATE active_scans
    SET lease_worker = 'worker-0-00000000', lease_token = 1, lease_expires_at = {now} + 86400000000, attempt = 1,
        started_at = {now}, pages_scanned = 3, pages_found = 3
    WHERE scan_id IN (
        SELECT 'scan_01J0000000' || printf('%016d', {teams} * {sites} * {checks} + n)
        FROM numbers WHERE n < {teams} * {sites} AND n % ({queued} * 50) = {queued} - 1
    );

INSERT INTO endpoints (id, team_id, url, events, sealed_secret, sealed_with, failed_in_a_row, created_at)
    SELECT 'whe_01J0000000' || printf('%016d', n), 'team_01J0000000' || printf('%016d', n / 2), 'https://hooks-' || n || '.example/',
        '["scan.completed","issues.new"]', unhex('01603b46db489a5537' || hex(randomblob(96))), 'key_603b46db489a5537', 0,
        {now} - 31536000000000
    FROM numbers WHERE n < {teams} * 2 AND n % 4 <> 3;
INSERT INTO events (id, team_id, kind, created_at, body)
    SELECT 'evt_01J0000000' || printf('%016d', n), team_id, 'scan.completed', finished_at,
        CAST(replace(hex(zeroblob(60)), '00', '{"issues": 7}') AS BLOB)
    FROM numbers JOIN scans ON id = 'scan_01J0000000' || printf('%016d', n)
    WHERE n < {teams} * {sites} * {checks}
        AND (n % {checks} < 4 OR (n % {checks} = 5 AND n / ({sites} * {checks}) % 20 = 0));
INSERT INTO deliveries (id, team_id, endpoint_id, event_id, created_at, state, attempts, tries, token, next_attempt_at, finished_at)
    SELECT 'dlv_01J0000000' || printf('%016d', n * 2 + k), team_id, endpoint_id, event_id, at,
        CASE WHEN waits OR is_due THEN 'pending' ELSE 'delivered' END,
        CASE WHEN waits THEN 2 WHEN is_due THEN 0 ELSE 1 END, 0, 0,
        CASE WHEN waits THEN {now} + 3600000000 + n % 3600 * 1000000 WHEN is_due THEN at END,
        CASE WHEN NOT waits AND NOT is_due THEN at + 1000000 END
    FROM (
        SELECT n, k, ev.id AS event_id, ev.created_at AS at, e.id AS endpoint_id, e.team_id AS team_id,
            (n / ({sites} * {checks}) * 2 + k) % 100 = 2 AND n % {checks} = 0 AS waits,
            (n / ({sites} * {checks}) * 2 + k) % 200 = 4 AND n % ({sites} * {checks}) = 0 AS is_due
        FROM numbers
        JOIN events ev ON ev.id = 'evt_01J0000000' || printf('%016d', n)
        CROSS JOIN (SELECT 0 AS k UNION ALL SELECT 1)
        JOIN endpoints e ON e.id = 'whe_01J0000000' || printf('%016d', n / ({sites} * {checks}) * 2 + k)
        WHERE n < {teams} * {sites} * {checks}
    );
INSERT INTO delivery_attempts (delivery_id, team_id, number, started_at, ended_at, duration, status, excerpt)
    SELECT id, team_id, n, created_at, created_at + 1000000, 1000000, 500, 'oops'
    FROM deliveries JOIN (SELECT 1 AS n UNION ALL SELECT 2) ON n <= attempts;
DROP TABLE numbers
