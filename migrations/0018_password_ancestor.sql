-- What a password opened ends when it is changed (docs/token-tree.md): `password:ACCOUNT` is an ancestor like every other. Rooms: TokenTree, Accounts.
-- Not valid: what is there has none of the new kind, so the table is not read through under the lock that keeps everybody out.
alter table ancestor drop constraint ancestor_kind_check;
alter table ancestor add constraint ancestor_kind_check check (kind in
    ('epoch', 'signer', 'version', 'instance', 'key', 'account', 'password', 'session', 'client', 'grant', 'service', 'bundle')) not valid;

-- What passwords opened before this migration hangs below a generation, too: sessions, and what apps hold after a login. An identifier without an
-- end (Base/NodeID) has its first two bits set and says version 8. What processes of before write while they are replaced has none: a password that
-- is changed meanwhile is changed once more after the last of them has gone.
insert into ancestor (kind, name, id, opened_at)
select 'password', o.account::text,
       overlay(overlay(gen_random_uuid()::text placing substr('cdef', 1 + floor(random() * 4)::integer, 1) from 1) placing '8' from 15)::uuid, now()
from (select account from browser_session union select account from family where realm = 'idp' and detail -> 'amr' ? 'pwd') as o
where o.account is not null;

update browser_session s set lineage = s.lineage || n.id
from ancestor n
where n.kind = 'password' and n.name = s.account::text
  and exists (select from authentication_event e where e.session = s.id and 'pwd' = any (e.methods));

-- Whom to tell when the new node is revoked: those who hold something below what it goes into.
insert into reach (node, service)
select distinct n.id, r.service
from family f join ancestor n on n.kind = 'password' and n.name = f.account::text join reach r on r.node = f.id
where f.realm = 'idp' and f.detail -> 'amr' ? 'pwd';

update family f set lineage = f.lineage[1:cardinality(f.lineage) - 1] || n.id || f.lineage[cardinality(f.lineage)]
from ancestor n
where n.kind = 'password' and n.name = f.account::text and f.realm = 'idp' and f.detail -> 'amr' ? 'pwd';

update token t set lineage = t.lineage[1:cardinality(t.lineage) - 1] || n.id || t.lineage[cardinality(t.lineage)]
from ancestor n
where n.kind = 'password' and n.name = t.account::text and t.realm = 'idp' and t.detail -> 'amr' ? 'pwd';
