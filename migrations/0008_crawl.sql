-- Claims, manners towards hosts, and the history of what the crawler found (design/crawler.md, "Schedule" and "Health"). Room: Crawler.

-- Host and port that a service's search begins at: of the registered document URL, else of the base URL; the scheme's own port is left out.
create function crawl_host_of(base text, rsd text) returns text language sql immutable parallel safe as $$
    select regexp_replace(lower(coalesce(substring(u from '^[A-Za-z]+://(?:[^/?#@]*@)?([^/?#]*)'), '')),
                          case when u ~* '^https:' then ':(443)?$' else ':(80)?$' end, '')
    from (select case when rsd ~* '^https?://' then rsd else base end as u) as chosen
$$;

-- `claimed_until` keeps other workers away; a worker that is killed lets it run out. `forgotten_at`: failed for so long that the document was deleted.
alter table service_document
    add column host text not null default '',
    add column claimed_until timestamptz,
    add column forgotten_at timestamptz;

update service_document d set host = crawl_host_of(s.base, s.rsd) from service s where s.id = d.service;

create function service_document_host() returns trigger language plpgsql as $$
begin
    select crawl_host_of(s.base, s.rsd) into new.host from service s where s.id = new.service;
    new.host := coalesce(new.host, '');
    return new;
end
$$;
create trigger service_document_host before insert on service_document for each row execute function service_document_host();

create function service_moved_host() returns trigger language plpgsql as $$
begin
    -- Elsewhere it may well be alive.
    update service_document set host = crawl_host_of(new.base, new.rsd), forgotten_at = null where service = new.id;
    return null;
end
$$;
create trigger service_moved_host after update of base, rsd on service for each row
    when (old.base is distinct from new.base or old.rsd is distinct from new.rsd) execute function service_moved_host();

-- What is in flight is a handful of rows; what waits at one host is found without a look at the others.
create index service_document_claimed on service_document (claimed_until, host) where claimed_until is not null;
create index service_document_host on service_document (host, next_try);
-- For the removal policy and for `crawl status --state`.
create index service_document_bad on service_document (state, service) where state in ('failed', 'gone', 'stale', 'degraded', 'pending');

-- Hosts that did not answer. Two different services in a row must have found nobody there before the others wait.
create table crawl_host (
    host        text primary key,
    failures    integer not null,
    last_failed text not null,
    not_before  timestamptz
);

-- A row when state, reason or document changes; the last 100 of a service are kept.
create table document_history (
    service      text not null references service on delete cascade,
    seq          bigint generated always as identity,
    at           timestamptz not null,
    from_state   text not null,
    to_state     text not null,
    reason       text,
    detail       text,
    hash         bytea,
    source       text,
    document_url text,
    added        text[] not null default '{}',
    removed      text[] not null default '{}',
    warnings     text[] not null default '{}',
    primary key (service, seq)
);
