-- The scheduler looks at the sites whose time came first, once a second on each node, and thereby walks past the index entries
-- of those that were moved on since the last vacuum. By default there would be a fifth as many of them as there are sites.
ALTER TABLE sites SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 50);
