-- What processes remember, and what they must forget: docs/token-tree.md, "Leases". Room: TokenTree.

-- Numbers in commit order: each is taken when its transaction commits, under a lock that is held until it is committed.
-- So whoever sees a number has seen all before it. Rows are of use for minutes. One of the two is null.
create table change (
    number bigint generated always as identity primary key,
    node uuid,
    name text,
    at timestamptz not null default clock_timestamp()
);

-- A process that answers from memory, until when it may, and up to which number it has forgotten what it must.
create table replica (
    id uuid primary key,
    lease_until timestamptz not null,
    seen bigint not null
) with (fillfactor = 50);

-- Which history of the log this is. Another primary has another timeline; a backup that was put back is another cluster,
-- or another table.
create function change_history() returns text language sql as $$
    select left(pg_walfile_name(pg_current_wal_lsn()), 8) || ' ' || (select system_identifier from pg_control_system())
        || ' ' || 'change'::regclass::oid
$$;

-- On another history rows of `replica` may be lost: who revokes waits a whole lease from when it is noticed.
create table lease_era (
    one boolean primary key default true check (one),
    history text not null,
    since timestamptz not null
);
insert into lease_era (history, since) values (change_history(), '-infinity');

create function record_change(node uuid, name text) returns void language plpgsql as $$
begin
    -- The lock comes last of all that a transaction takes, so that nobody who holds it waits for another.
    perform pg_advisory_xact_lock(x'70616e646f5f6368'::bigint);
    insert into change (node, name) values (record_change.node, record_change.name);
    perform pg_notify('pando_changes', '');
end
$$;

create function revocation_changes() returns trigger language plpgsql as $$
begin
    perform record_change(new.node, null);
    return null;
end
$$;

create constraint trigger revocation_changes after insert on revocation
    deferrable initially deferred for each row execute function revocation_changes();

-- An upgrade changes the lineage of all that holds the anchor.
create function moved_changes() returns trigger language plpgsql as $$
begin
    perform record_change(new.anchor, null);
    return null;
end
$$;

create constraint trigger moved_changes after insert or update on moved
    deferrable initially deferred for each row execute function moved_changes();

-- Who asks at introspection: the client, and whether it is a service's.
create function client_changes() returns trigger language plpgsql as $$
begin
    perform record_change(null, 'client:' || coalesce(new.id, old.id));
    return null;
end
$$;

create constraint trigger client_changes after update or delete on client
    deferrable initially deferred for each row execute function client_changes();

create function service_changes() returns trigger language plpgsql as $$
begin
    perform record_change(null, 'client:' || x.client)
    from (select distinct client from (values (new.client), (old.client)) c (client) where client is not null) x;
    return null;
end
$$;

create constraint trigger service_changes after insert or delete on service
    deferrable initially deferred for each row execute function service_changes();

-- The crawler touches each service that it reads: that changes nothing for those who ask.
create constraint trigger service_updates after update on service deferrable initially deferred for each row
    when (to_jsonb(old) - 'changed_at' is distinct from to_jsonb(new) - 'changed_at')
    execute function service_changes();
