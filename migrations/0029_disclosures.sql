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
create index disclosure_forgotten on disclosure (last_at);

-- What was told before, as far as assertions are remembered.
insert into disclosure (account, client, service, anchor, holder, lineage, claims, first_at, last_at)
select distinct on (t.account, t.client, t.service) t.account, t.client, t.service, t.anchor, t.lineage[3],
       case when exists (select from app_instance i where i.id = t.client) then t.lineage[1:1] || t.lineage[3:cardinality(t.lineage) - 1]
            else t.lineage[1:cardinality(t.lineage) - 1] end,
       array(select jsonb_object_keys(coalesce(t.detail -> 'claims', '{}'))),
       min(t.issued_at) over of_service, max(t.issued_at) over of_service
from token t join account a on a.id = t.account
where t.realm = 'idp' and t.kind = 'assertion' and t.client is not null and t.service is not null and cardinality(t.lineage) > 3
window of_service as (partition by t.account, t.client, t.service)
order by t.account, t.client, t.service, t.issued_at desc;
