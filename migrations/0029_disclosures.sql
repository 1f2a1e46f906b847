-- What a person's apps and web applications passed on about them: to whom, which claims, by which login. The account page shows it, and the tree of what
-- they have let in is read from it. Emptied by its person a row stays, without what was told, as long as something hangs below it. Room: Federation.
create table disclosure (
    account  uuid not null references account on delete cascade,
    -- The instance or web client that asked.
    client   text not null,
    -- The service that was told; empty where it was the web client itself.
    service  text not null default '',
    -- Of the last assertion: what it is anchored in, the ancestor that the service takes for its anchor, and its ancestors without an app version,
    -- which may move. Nothing where the web client itself was told.
    anchor   uuid,
    holder   uuid,
    lineage  uuid[] not null default '{}',
    claims   text[],
    methods  text[],
    login_at timestamptz,
    first_at timestamptz not null,
    last_at  timestamptz not null,
    ended_at timestamptz,
    primary key (account, client, service),
    check (service = '' or (anchor is not null and holder is not null))
);

-- What was told before, as far as assertions are remembered. They may be many millions: they are read once, and of each person, client and service only the
-- last one is looked up and carried on.
insert into disclosure (account, client, service, anchor, holder, lineage, claims, first_at, last_at)
select o.account, o.client, o.service, t.anchor, t.lineage[3],
       case when exists (select from app_instance i where i.id = t.client) then t.lineage[1:1] || t.lineage[3:cardinality(t.lineage) - 1]
            else t.lineage[1:cardinality(t.lineage) - 1] end,
       case when jsonb_typeof(t.detail -> 'claims') = 'object' then array(select n.name from jsonb_object_keys(t.detail -> 'claims') n (name) order by n.name)
            else '{}' end,
       o.first_at, o.last_at
from (
    select k.account, k.client, k.service, min(k.issued_at) as first_at, max(k.issued_at) as last_at,
           (max(array[to_char(k.issued_at at time zone 'UTC', 'YYYYMMDDHH24MISSUS'), k.id::text]))[2]::uuid as latest
    from token k join account a on a.id = k.account
    where k.realm = 'idp' and k.kind = 'assertion' and k.client is not null and k.service is not null and cardinality(k.lineage) > 3
    group by k.account, k.client, k.service
) o join token t on t.id = o.latest;

create index disclosure_forgotten on disclosure (last_at);
