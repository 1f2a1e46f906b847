-- How each service hears of what has ended: by events that are pushed, by events that it polls, or by one call per
-- assertion (RFC 7009). Rooms: Federation, TokenTree.

-- `notify` is what the operator wants, `hears` what came of it; null while it is not known yet. `revocation_named` is
-- the operator's word, `revocation_endpoint` that of the service's document. Services of before hear as they did.
alter table service
    add column notify text not null default 'push' check (notify in ('auto', 'push', 'poll', 'revoke')),
    add column hears text default 'push' check (hears in ('push', 'poll', 'revoke')),
    add column hears_since timestamptz,
    add column hears_because text,
    add column revocation_named text;
update service set hears_since = created_at, hears_because = 'as before there was a choice';

-- Services whose way of hearing is to be found out: one row at most for each. `asked` counts the reasons to ask, so
-- that a new one outlives the answer to the last.
create table service_probe (
    service    text primary key references service on delete cascade,
    asked      bigint not null default 1,
    first_try  timestamptz not null,
    next_try   timestamptz not null,
    failures   integer not null default 0,
    last_error text
);
create index service_probe_due on service_probe (next_try);

-- Assertions of services that are called, and what they hang from: which must be called for when a node is cut. A row
-- goes when its assertion was called for, or with its partition, as the row of its assertion in `token` does.
create table assertion_reach (
    assertion uuid primary key,
    service   text not null,
    anchor    uuid not null,
    lineage   uuid[] not null
) partition by range (assertion);
create index assertion_reach_lineage on assertion_reach using gin (lineage);
create index assertion_reach_service on assertion_reach (service, assertion);
create index assertion_reach_anchor on assertion_reach (anchor);

-- The node itself, which calls are for; `called_after` is the last assertion of the round under way.
alter table outbox add column node uuid, add column called_after uuid;

-- No call before `calls_from`: the pace, and what a service has asked for. `fill_after` is how far assertions of
-- before the service was called are written down; null where all are.
alter table delivery add column calls_from timestamptz, add column fill_after uuid;
