-- Events are settled one by one, by push or by poll, and kept for a while for who missed them (docs/events.md). Rooms: Federation, OAuth, TokenTree.

-- Settled: acknowledged or, with an `error`, given up, a dead letter. `tried_from`: when an operator had a dead one
-- tried anew, since when patience with it counts. `delivery.acknowledged` is the last number before the first event
-- that is not settled.
alter table outbox drop constraint outbox_event_check;
alter table outbox add constraint outbox_event_check check (event in ('ended', 'moved', 'policy'));
alter table outbox add column settled_at timestamptz;
alter table outbox add column error text check (length(error) <= 500);
alter table outbox add column tried_from timestamptz;
alter table outbox add constraint outbox_dead check (error is null or settled_at is not null);
create index outbox_waiting on outbox (service, seq) where settled_at is null;
create index outbox_settled on outbox (settled_at) where settled_at is not null;
create index outbox_dead on outbox (service, seq) where error is not null;
create index outbox_jti on outbox (service, jti);

-- When the service was last told the newest number, by push and in the answer to a poll.
alter table delivery add column heartbeat_at timestamptz;
alter table delivery add column polled_heartbeat_at timestamptz;

-- Up to when a service knows of every event: a time of the issuer's, not of arrival.
alter table event_received add column as_of timestamptz;

-- Found below something that is kept, when it was last looked: so it is kept, too, however old (docs/token-tree.md).
alter table revocation add column held_at timestamptz;
