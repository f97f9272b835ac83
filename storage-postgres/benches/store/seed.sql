-- The same data every time, as many as {teams} teams have: {sites} sites each, {checks} completed checks a week apart for each
-- site. The present is the database's; everything else follows from the number of a row.
--
-- A row's id has its number within: `seed_id('site', 42)`. Sites are numbered through, team after team; checks, site after
-- site, the latest first; events have the numbers of their checks.

CREATE FUNCTION seed_id(kind text, number bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN kind || '_01J0000000' || lpad(number::text, 16, '0');

-- A twentieth has a plan of three months' history, and so checks that have left it; the others keep theirs.
INSERT INTO teams
    SELECT seed_id('team', n), 'Team ' || n, CASE WHEN n % 20 = 0 THEN 'free' WHEN n % 3 = 1 THEN 'agency' ELSE 'pro' END,
        'active', NULL, NULL, 'active', 1, now() - interval '1 year' + n * interval '1 second'
    FROM generate_series(0::bigint, {teams} - 1) n;
INSERT INTO tokens
    SELECT seed_id('tok', n), seed_id('team', n / 2), 'CI', '{read,write}', sha256(('token ' || n)::bytea), now() - interval '1 year'
    FROM generate_series(0::bigint, {teams} * 2 - 1) n;
-- Half of the tokens were used within the last minute.
INSERT INTO request_counters
    SELECT seed_id('tok', n * 2), now(), 1, NULL, 0, now(), true, now() + interval '1 minute'
    FROM generate_series(0::bigint, {teams} - 1) n;

-- All are due in the future, spread over a week.
INSERT INTO sites
    SELECT seed_id('site', n), seed_id('team', n / {sites}), 'https://shop-' || n || '.example/', 'shop-' || n || '.example', NULL, 'en',
        '{shopify}', CASE WHEN n % 2 = 0 THEN '{a,b}'::text[] ELSE '{}' END,
        now() + interval '1 day' + mod(n * 7919, 604800) * interval '1 second', NULL, now() - interval '1 year'
    FROM generate_series(0::bigint, {teams} * {sites} - 1) n;

INSERT INTO scans (id, team_id, site_id, kind, pages_requested, queued_at, express, started_at, finished_at, outcome, problems)
    SELECT seed_id('scan', n), seed_id('team', n / ({sites} * {checks})), seed_id('site', n / {checks}), 'scheduled', 25, at, false,
        at + interval '1 second', at + interval '60 seconds', '{outcome}', 7
    FROM (
        SELECT n, now() - interval '1 hour' - (n % {checks}) * interval '1 week' - mod(n * 7919, 86400) * interval '1 second' AS at
        FROM generate_series(0::bigint, {teams} * {sites} * {checks} - 1) n
    ) AS numbered;
-- The purge has to look at those with the short history, and has looked at the others.
INSERT INTO retention
    SELECT seed_id('team', n),
        CASE WHEN n % 20 = 0 THEN '-infinity' ELSE now() + interval '1 day' + mod(n * 7919, 2000000) * interval '1 second' END
    FROM generate_series(0::bigint, {teams} - 1) n;
INSERT INTO findings SELECT id, team_id, '\x{findings}' FROM scans;
INSERT INTO screenshots SELECT id, team_id, 'element', 1, 'png', 320, 200, '\x89504e470d0a1a0a' FROM scans;

-- One site in {queued} has a check that waits, and one in fifty of these a check that runs.
INSERT INTO scans (id, team_id, site_id, kind, pages_requested, queued_at, express)
    SELECT seed_id('scan', {teams} * {sites} * {checks} + n), seed_id('team', n / {sites}), seed_id('site', n), 'scheduled', 25,
        now() - interval '10 minutes' + n * interval '1 millisecond', false
    FROM generate_series({queued}::bigint - 1, {teams} * {sites} - 1, {queued}) n;
INSERT INTO active_scans (site_id, scan_id, team_id, queued_at)
    SELECT site_id, id, team_id, queued_at FROM scans WHERE finished_at IS NULL;
UPDATE active_scans
    SET lease_worker = 'worker-0-00000000', lease_token = 1, lease_expires_at = now() + interval '1 day', attempt = 1,
        started_at = now(), pages_scanned = 3
    WHERE scan_id IN (
        SELECT seed_id('scan', {teams} * {sites} * {checks} + n) FROM generate_series({queued}::bigint - 1, {teams} * {sites} - 1, {queued} * 50) n
    );

-- One endpoint or two for each team.
INSERT INTO endpoints (id, team_id, url, events, sealed_secret, sealed_with, failed_in_a_row, off_since, created_at)
    SELECT seed_id('whe', n), seed_id('team', n / 2), 'https://hooks-' || n || '.example/', '{scan.completed,issues.new}',
        -- Of the form of a sealed value, under the key of the runs; nobody opens it.
        '\x01603b46db489a5537'::bytea || sha256(n::text::bytea) || sha256(n::text::bytea) || sha256(n::text::bytea),
        'key_603b46db489a5537', 0, NULL, now() - interval '1 year'
    FROM generate_series(0::bigint, {teams} * 2 - 1) n WHERE n % 4 <> 3;
-- What the last four checks of each site told, and, of a twentieth of the teams, one that leaves the log.
INSERT INTO events
    SELECT seed_id('evt', n), team_id, 'scan.completed', finished_at, convert_to(repeat('{"issues": 7}', 60), 'UTF8')
    FROM generate_series(0::bigint, {teams} * {sites} * {checks} - 1) n JOIN scans ON id = seed_id('scan', n)
    WHERE n % {checks} < 4 OR (n % {checks} = 5 AND n / ({sites} * {checks}) % 20 = 0);
-- To each endpoint. Of a hundredth of the endpoints the latest have failed twice and wait; for one in two hundred, one is due.
INSERT INTO deliveries
    (id, team_id, endpoint_id, event_id, created_at, state, attempts, token, next_attempt_at, finished_at)
    SELECT seed_id('dlv', n * 2 + k), e.team_id, e.id, seed_id('evt', n), at,
        CASE WHEN waits OR is_due THEN 'pending' ELSE 'delivered' END,
        CASE WHEN waits THEN 2 WHEN is_due THEN 0 ELSE 1 END,
        0,
        CASE WHEN waits THEN now() + interval '1 hour' + n % 3600 * interval '1 second' WHEN is_due THEN at END,
        CASE WHEN NOT waits AND NOT is_due THEN at + interval '1 second' END
    FROM generate_series(0::bigint, {teams} * {sites} * {checks} - 1) n
    JOIN events ev ON ev.id = seed_id('evt', n)
    CROSS JOIN generate_series(0, 1) k
    CROSS JOIN LATERAL (SELECT n / ({sites} * {checks}) * 2 + k AS endpoint, ev.created_at AS at) AS o
    CROSS JOIN LATERAL (
        SELECT endpoint % 100 = 2 AND n % {checks} = 0 AS waits, endpoint % 200 = 4 AND n % ({sites} * {checks}) = 0 AS is_due
    ) AS s
    JOIN endpoints e ON e.id = seed_id('whe', endpoint);
INSERT INTO delivery_attempts
    SELECT id, team_id, number, created_at, created_at + interval '1 second', 1000000, 500, 'oops', NULL
    FROM deliveries CROSS JOIN generate_series(1, attempts) number;
VACUUM (ANALYZE) plans, teams, tokens, request_counters, sites, scans, active_scans, retention, findings, screenshots, endpoints,
    events, deliveries, delivery_attempts;
