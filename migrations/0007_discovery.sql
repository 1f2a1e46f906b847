-- Discovery: the few different sets of names that many services offer, the text that discovery answers with, and the public listing. Room: Federation.

-- One row per set of offered names (`service_document.offered`, sorted). A set may be longer than a unique index can hold, hence the digest:
-- sha256 of the array's text.
create table protocol_set (
    id     bigint generated always as identity primary key,
    names  text[] not null,
    digest bytea not null unique
);
create index protocol_set_names on protocol_set using gin (names);

-- `document_text` is the document as discovery gives it, compact. Without a document both are null.
alter table service_document
    add column protocol_set bigint references protocol_set,
    add column document_text text;

with offering as (
    select distinct array(select distinct n.name collate "C" from unnest(d.offered) as n (name) order by 1) as names
    from service_document d where d.document is not null
)
insert into protocol_set (names, digest) select o.names, sha256(convert_to(o.names::text, 'UTF8')) from offering o;

update service_document d set document_text = d.document::text, protocol_set = p.id
from protocol_set p
where d.document is not null
    and p.names = array(select distinct n.name collate "C" from unnest(d.offered) as n (name) order by 1);

-- The services of a set in order, without a look at their rows.
create index service_document_set on service_document (protocol_set, service) include (state) where protocol_set is not null;
-- Nothing asks for it any more: names are looked for among the sets.
drop index service_document_offered;

-- The listing by change, and since when a service may be seen by the public: what was never active is nobody's business.
create index service_changed on service (changed_at, id);
alter table service add column listed_at timestamptz;
update service set listed_at = created_at where status <> 'pending';
