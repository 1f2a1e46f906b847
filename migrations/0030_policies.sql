-- Whom a service takes: apps by its policy, people and phones one by one; and apps that the federation refuses as a whole. Rooms: Federation,
-- Registration, TokenTree.

-- Two more ancestors: a person at a service (`use:ACCOUNT/SERVICE`), a third-party app at a service (`admission:SERVICE/BUNDLE`).
-- Not valid: what is there has none of the new kinds, so the table is not read through under the lock that keeps everybody out.
alter table ancestor drop constraint ancestor_kind_check;
alter table ancestor add constraint ancestor_kind_check check (kind in
    ('epoch', 'signer', 'version', 'instance', 'key', 'account', 'password', 'session', 'client', 'grant', 'service', 'bundle', 'use', 'admission'))
    not valid;

-- Since when `use` and `admission` are ancestors. What was issued before, and by processes of before while they are replaced, does not get them
-- afterwards: who revokes one of them revokes that as well, until the last of it is forgotten.
-- Processes of before know neither policies nor refusals: who denies or refuses meanwhile does so once more after the last of them has gone.
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

-- What was issued before hangs below none of the new ancestors, and is not rewritten: that would be millions of rows in one transaction. Who revokes one
-- of them looks for what it stands for without being in the lineage (TokenTree, `Predating` and `RevocationSweep`), by these.
create index family_app on family (realm, bundle, issued_at) where kind = 'app_token';
create index family_person on family (account) where kind = 'access_token' and account is not null;
