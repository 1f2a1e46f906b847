-- Pushes with the credentials of an app, one registration for each push address, and blocks that end by themselves (design/backoffice.md, operations).
-- Room: Operations.

-- What an app is pushed to with. `settings` is what is no secret: ids of team and key, topic; project and address of the account; the app's id. `secret` is
-- the private key, or the client's secret, sealed. It goes when its owner takes it away.
create table phone_application_push (
    id          text primary key,
    application text not null references phone_application on delete cascade,
    provider    text not null check (provider in ('apns', 'fcm', 'hms')),
    settings    json not null,
    secret      bytea not null,
    sealed_by   text not null,
    created_at  timestamptz not null,
    unique (application, provider)
);

-- Whoever sends hears of each push with its commit, and of nothing else.
create function ring_phone_push() returns trigger language plpgsql as $$
begin
    perform pg_notify('pando_operations_push', '');
    return null;
end
$$;
create trigger phone_push_rings after insert on phone_push for each row execute function ring_phone_push();

-- Of an app's registrations the last one that told an address has it. A b-tree has no room for the longest of them.
update phone_registration r set push_platform = null, push_token = null, push_environment = null
where r.push_token is not null and exists (
    select from phone_registration o
    where o.application = r.application and o.push_platform = r.push_platform and o.push_token = r.push_token
        and (coalesce(o.last_used_at, o.created_at), o.id) > (coalesce(r.last_used_at, r.created_at), r.id));
alter table phone_registration add constraint phone_registration_push_address
    exclude using hash ((application || ' ' || push_platform || ' ' || push_token) with =) where (push_token is not null);

-- What the phone that told the address shows texts in, best first; null where it said nothing.
alter table phone_registration add column push_language text check (length(push_language) between 1 and 200);

-- Minutes of one block after the other; behind the last one, and where there are none, a block is for good. A block has no end where `blocked_until` is null.
-- `blocks`: since two factors were last right, so many ended by themselves or have yet to.
alter table phone_application add column block_minutes integer[] not null default '{}'
    check (cardinality(block_minutes) <= 20 and array_position(block_minutes, null) is null and 1 <= all (block_minutes) and 43200 >= all (block_minutes));
alter table phone_registration
    add column blocked_until timestamptz check (blocked_until is null or state = 'BLOCKED'),
    add column blocks integer not null default 0 check (blocks >= 0);
create index phone_registration_blocked on phone_registration (blocked_until) where blocked_until is not null;

-- A server of the version before knows neither and may still run: what it blocks for good has no end, what it unblocks or removes is no longer blocked,
-- and an address that a phone tells it leaves the registration that had it.
create function end_phone_block_of_before() returns trigger language plpgsql as $$
begin
    new.blocked_until := null;
    return new;
end
$$;
create trigger phone_registration_block before update of state on phone_registration for each row
    when (new.blocked_until is not null and new.blocked_until is not distinct from old.blocked_until
        and (new.state <> 'BLOCKED' or new.blocked_reason is distinct from old.blocked_reason))
    execute function end_phone_block_of_before();
create function free_phone_push_address() returns trigger language plpgsql as $$
begin
    update phone_registration r set push_platform = null, push_token = null, push_environment = null, push_language = null
    where (r.application || ' ' || r.push_platform || ' ' || r.push_token) =
            (new.application || ' ' || new.push_platform || ' ' || new.push_token)
        and r.push_token is not null and r.id <> new.id;
    return new;
end
$$;
create trigger phone_registration_push before update of push_token on phone_registration for each row
    when (new.push_token is not null and new.push_token is distinct from old.push_token) execute function free_phone_push_address();
