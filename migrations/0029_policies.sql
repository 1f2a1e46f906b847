-- Whom a service takes: apps by its policy, people and phones one by one; and apps that the federation refuses as a whole. Rooms: Federation,
-- Registration, TokenTree.

-- Two more ancestors: a person at a service (`use:ACCOUNT/SERVICE`), a third-party app at a service (`admission:SERVICE/BUNDLE`).
-- Not valid: what is there has none of the new kinds, so the table is not read through under the lock that keeps everybody out.
alter table ancestor drop constraint ancestor_kind_check;
alter table ancestor add constraint ancestor_kind_check check (kind in
    ('epoch', 'signer', 'version', 'instance', 'key', 'account', 'password', 'session', 'client', 'grant', 'service', 'bundle', 'use', 'admission'))
    not valid;

-- Since when `use` is an ancestor. Assertions of before have left with the lineage that they had, so they do not get the node afterwards: who
-- revokes it revokes them one by one, until the last of them is forgotten.
insert into setting (name, value, changed_at) values ('use_since', to_jsonb(now()), now());

-- `apps`: of those that are not named. Without a row it is open.
create table service_policy (
    service    text primary key references service on delete cascade,
    apps       text not null check (apps in ('open', 'closed')),
    changed_at timestamptz not null
);

-- Apps that a service names.
create table service_app (
    service text not null references service on delete cascade,
    bundle  text not null check (octet_length(bundle) between 1 and 255),
    verdict text not null check (verdict in ('allow', 'deny')),
    primary key (service, bundle)
);

-- Who is kept out of one service. A phone by its device id and its key, so that it does not come back as another instance.
create table service_refusal (
    service    text not null references service on delete cascade,
    kind       text not null check (kind in ('account', 'device', 'key')),
    name       text not null,
    account    uuid references account on delete cascade,
    instance   text,
    refused_at timestamptz not null,
    actor      text not null,
    reason     text,
    primary key (service, kind, name),
    check ((kind = 'account') = (account is not null))
);
create index service_refusal_account on service_refusal (account) where account is not null;

-- All versions of an app, those to come too; and which attributes of a person its instances are told (null: all).
alter table app
    add column status text not null default 'allowed' check (status in ('allowed', 'refused')),
    add column claims text[];

-- What third-party apps hold at services in the house, and what web clients hold for a service, gets its new ancestor: nobody else keeps that lineage.
-- An identifier without an end (Base/NodeID) has its first two bits set and says version 8. What processes of before write while they are replaced
-- has none: who denies or refuses meanwhile does so once more after the last of them has gone.
insert into ancestor (kind, name, id, opened_at)
select 'admission', h.realm || '/' || h.bundle,
       overlay(overlay(gen_random_uuid()::text placing substr('cdef', 1 + floor(random() * 4)::integer, 1) from 1) placing '8' from 15)::uuid, now()
from (
    select realm, bundle from family where kind = 'app_token' and bundle is not null
    union
    select realm, bundle from token where kind = 'app_token' and bundle is not null
) as h;

update family f set lineage = f.lineage[1:cardinality(f.lineage) - 1] || n.id || f.lineage[cardinality(f.lineage)]
from ancestor n
where n.kind = 'admission' and n.name = f.realm || '/' || f.bundle and f.kind = 'app_token';

update token t set lineage = t.lineage[1:cardinality(t.lineage) - 1] || n.id || t.lineage[cardinality(t.lineage)]
from ancestor n
where n.kind = 'admission' and n.name = t.realm || '/' || t.bundle and t.kind = 'app_token';

insert into ancestor (kind, name, id, opened_at)
select 'use', h.account::text || '/' || h.service,
       overlay(overlay(gen_random_uuid()::text placing substr('cdef', 1 + floor(random() * 4)::integer, 1) from 1) placing '8' from 15)::uuid, now()
from (
    select f.account, s.id as service from family f join service s on s.client = f.client or s.base = f.detail ->> 'aud'
    where f.realm = 'idp' and f.kind = 'access_token' and f.account is not null and s.status <> 'removed'
    union
    select t.account, s.id from token t join service s on s.client = t.client or s.base = t.detail ->> 'aud'
    where t.realm = 'idp' and t.kind in ('access_token', 'code') and t.account is not null and s.status <> 'removed'
) as h;

-- By its own client, then by the resource: one token may be for two services.
insert into reach (node, service)
select distinct n.id, r.service
from family f join service s on s.client = f.client or s.base = f.detail ->> 'aud'
join ancestor n on n.kind = 'use' and n.name = f.account::text || '/' || s.id join reach r on r.node = f.id
where f.realm = 'idp' and f.kind = 'access_token';

update family f set lineage = f.lineage[1:cardinality(f.lineage) - 1] || n.id || f.lineage[cardinality(f.lineage)]
from ancestor n, service s
where s.client = f.client and n.kind = 'use' and n.name = f.account::text || '/' || s.id and f.realm = 'idp' and f.kind = 'access_token';

update family f set lineage = f.lineage[1:cardinality(f.lineage) - 1] || n.id || f.lineage[cardinality(f.lineage)]
from ancestor n, service s
where s.base = f.detail ->> 'aud' and n.kind = 'use' and n.name = f.account::text || '/' || s.id and f.realm = 'idp' and f.kind = 'access_token'
  and not n.id = any (f.lineage);

update token t set lineage = t.lineage[1:cardinality(t.lineage) - 1] || n.id || t.lineage[cardinality(t.lineage)]
from ancestor n, service s
where s.client = t.client and n.kind = 'use' and n.name = t.account::text || '/' || s.id and t.realm = 'idp' and t.kind in ('access_token', 'code');

update token t set lineage = t.lineage[1:cardinality(t.lineage) - 1] || n.id || t.lineage[cardinality(t.lineage)]
from ancestor n, service s
where s.base = t.detail ->> 'aud' and n.kind = 'use' and n.name = t.account::text || '/' || s.id and t.realm = 'idp'
  and t.kind in ('access_token', 'code') and not n.id = any (t.lineage);
