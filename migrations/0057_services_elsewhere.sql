-- The services of a federation whose issuer is another server, as that server's list told them last (docs/roles-apart.md): what the role `discovery` answers from
-- where it lives elsewhere. Apart from `service`, which holds this server's own entries under ids of its own. Room: Federation.
create table copied_service (
    id            text primary key,
    name          text not null,
    base          text not null,
    status        text not null check (status in ('active', 'suspended', 'removed')),
    -- As the issuer's crawler found its document: the words of `service_document`.
    state         text not null,
    -- As discovery gives it; null where discovery gives none. The names that it is found by come and go with it.
    document_text text,
    protocols     text[] not null default '{}',
    offered       text[] not null default '{}',
    protocol_set  bigint references protocol_set,
    warnings      text[] not null default '{}',
    last_ok       timestamptz,
    -- By the issuer's clock.
    changed_at    timestamptz not null,
    check ((document_text is null) = (protocol_set is null)),
    check (status = 'active' or document_text is null)
);
create index copied_service_set on copied_service (protocol_set, id) include (state) where protocol_set is not null;
create index copied_service_base on copied_service (base);
create index copied_service_changed on copied_service (changed_at, id);

-- By which a process knows how old a read replica is (docs/read-replicas.md): it writes a number here, and the replica has what was committed before that as soon
-- as it shows the number. Whatever history a standby follows, a number that this process has not written yet is on none. Room: Database.
create table replica_beat (
    id     uuid primary key,
    number bigint not null,
    at     timestamptz not null
);
