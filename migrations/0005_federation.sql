-- The federation index, what the crawler read, who uses what, and the events that go out. Rooms: Federation, Crawler.
create table service (
    id                  text primary key,
    name                text not null,
    base                text not null,
    status              text not null default 'pending' check (status in ('pending', 'active', 'suspended', 'removed')),
    client              text not null references client,
    token_endpoint      text not null,
    events_endpoint     text not null,
    revocation_endpoint text,
    rsd                 text,
    claims              text[] not null default '{}',
    allow_loopback      boolean not null default false,
    created_at          timestamptz not null,
    changed_at          timestamptz not null
);

-- A removed service keeps its row until it has heard of its end; its base may be added anew.
create unique index service_base on service (base) where status <> 'removed';

-- What is known about a service's RSD document and about getting the next one (design/crawler.md, "Health").
-- `offered` holds the names that discovery matches: folded where dotless, and the mapped ones.
create table service_document (
    service       text primary key references service on delete cascade,
    state         text not null default 'pending' check (state in ('pending', 'ok', 'degraded', 'stale', 'failed', 'gone', 'suspended')),
    document      jsonb,
    protocols     text[] not null default '{}',
    offered       text[] not null default '{}',
    reason        text,
    detail        text,
    warnings      text[] not null default '{}',
    source        text,
    document_url  text,
    http_status   integer,
    hash          bytea,
    etag          text,
    last_modified text,
    ttl_s         integer,
    last_try      timestamptz,
    last_ok       timestamptz,
    last_search   timestamptz,
    next_try      timestamptz not null,
    failures      integer not null default 0,
    changed_at    timestamptz
);
create index service_document_due on service_document (next_try);
create index service_document_offered on service_document using gin (offered);

create table service_usage (
    account   uuid not null references account on delete cascade,
    service   text not null references service on delete cascade,
    last_used timestamptz not null,
    primary key (account, service)
);

-- Outgoing revocation events: written by the transaction that revokes, one per service and node, in order.
create table outbox (
    service    text not null,
    seq        bigint not null,
    jti        text not null,
    event      text not null check (event in ('ended', 'moved')),
    body       jsonb not null,
    created_at timestamptz not null,
    primary key (service, seq)
);

create table delivery (
    service      text primary key,
    last         bigint not null default 0,
    acknowledged bigint not null default 0,
    failures     integer not null default 0,
    next_try     timestamptz,
    last_error   text,
    check (acknowledged <= last)
);
create index delivery_due on delivery (next_try) where acknowledged < last;

-- What a service role of this house has received, by issuer.
create table event_received (
    realm  text not null,
    issuer text not null,
    seq    bigint not null,
    at     timestamptz not null,
    primary key (realm, issuer)
);
