-- A client's secret is replaced while programs still show the one before: that one is taken beside the new one until a
-- time that the operator named. Room: Registration.
alter table client
    add column old_secret bytea check (octet_length(old_secret) = 32),
    add column old_secret_until timestamptz,
    add constraint client_old_secret_pair_check check ((old_secret is null) = (old_secret_until is null));
