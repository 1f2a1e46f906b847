-- An approved device is below grant and client from the moment its person decides: `lineage` holds their generations then, and `anchor` is the client's.
-- A row that an older version approved has none, and its device begins again; such rows live for ten minutes. Room: OAuth.
alter table device_authorization add column anchor uuid;

-- What a device got after its consent had been withdrawn hangs from a grant that nobody agreed to. It is listed again, with nothing agreed, so that its person can
-- end it.
insert into consent (account, client, scopes, given_at, changed_at)
select a.id, c.id, '{}', g.opened_at, g.opened_at
from ancestor g
join account a on a.id::text = left(g.name, 36)
join client c on c.id = substr(g.name, 38)
where g.kind = 'grant'
on conflict do nothing;
