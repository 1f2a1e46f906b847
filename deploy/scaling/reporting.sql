-- A publication for a database of reports (docs/scaling.md, "A replica for reports"): what was done, how often, and how much there is. Run it as the owner of
-- Pando's database, on a primary with `wal_level = logical`; the other side makes tables of the same names with these columns, and subscribes.
--
-- No column of it is a secret, a key, a digest of one, or an address: `Tests/Interop/test_several_databases.py` asks the catalogue. `audit.node` and
-- `revocation.label` name people as the command line does. Tables of tokens are left out: who reports counts them in `statistic`, and their partitions are
-- dropped, which no publication tells.
create publication pando_reporting for table
    account (id, status, institution, created_at),
    app (id, name, legacy, institution, created_at),
    app_version (id, app, version, status, created_at),
    app_instance (id, app, version, device_type, os_version, account, created_at, last_seen),
    audit (id, at, actor, action, node, account, outcome),
    institution (id, name, created_at),
    revocation (node, label, revoked_at, actor),
    service (id, name, base, status, institution, created_at, changed_at),
    statistic (step, bucket, metric, label, value)
    with (publish = 'insert, update, delete');
