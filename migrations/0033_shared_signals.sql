-- Streams of the OpenID Shared Signals Framework (docs/shared-signals.md), and the facts about accounts that only they tell. Room: Federation.

-- One for each service at most. `authorization_header` is what a push carries, sealed under a key of its own. `delivered` are the event types it
-- gets. While it is paused the events behind `holds_after` wait: what the operator's pause itself says still goes out.
create table event_stream (
    id                   text primary key,
    service              text not null unique references service on delete cascade,
    status               text not null default 'enabled' check (status in ('enabled', 'paused', 'disabled')),
    reason               text check (length(reason) <= 500),
    holds_after          bigint,
    method               text not null check (method in ('push', 'poll')),
    endpoint             text,
    authorization_header bytea,
    requested            text[],
    delivered            text[] not null,
    description          text check (length(description) <= 500),
    verified_at          timestamptz,
    created_at           timestamptz not null,
    changed_at           timestamptz not null,
    check ((method = 'push') = (endpoint is not null)),
    check (method = 'push' or authorization_header is null),
    check ((status = 'paused') = (holds_after is not null))
);

-- What else can be told now.
alter table outbox drop constraint if exists outbox_event_check;
alter table outbox add constraint outbox_event_check
    check (event in ('ended', 'moved', 'policy', 'credential', 'account', 'verification', 'stream')) not valid;

-- What only a stream tells goes with the stream, and soon after it is settled.
create index outbox_of_streams on outbox (service, settled_at)
    where event in ('credential', 'account', 'verification', 'stream');

-- The same as `Outbox.append`: the row of `delivery` is locked until commit, so numbers have no gaps and follow commits.
create function append_event(service text, event text, body jsonb) returns void language plpgsql as $$
declare
    number bigint;
begin
    insert into delivery as d (service, last, next_try) values (append_event.service, 1, now())
    on conflict on constraint delivery_pkey do update set last = d.last + 1, next_try = coalesce(d.next_try, now())
    returning d.last into number;
    insert into outbox (service, seq, jti, event, body, created_at)
    values (append_event.service, number, replace(gen_random_uuid()::text, '-', ''), append_event.event,
        append_event.body, now());
    perform pg_notify('pando_events', append_event.service);
end
$$;

-- A fact about a person goes to services that know the person, and whose stream has asked for this type of event.
create function tell_streams(person uuid, type text, event text, body jsonb) returns void language plpgsql as $$
declare
    told text;
begin
    for told in
        select e.service from event_stream e join service s on s.id = e.service
        where e.status <> 'disabled' and tell_streams.type = any (e.delivered) and s.status in ('active', 'suspended')
          and (exists (select from service_usage u where u.account = tell_streams.person and u.service = e.service)
               or exists (select from ancestor a join reach r on r.node = a.id where a.kind = 'account'
                          and a.name = tell_streams.person::text and r.service = e.service))
        order by e.service
    loop
        -- Who ends a stream takes this lock, too, and then forgets what only it tells: nothing may come behind that.
        insert into delivery as d (service) values (told) on conflict on constraint delivery_pkey do nothing;
        perform from delivery d where d.service = told for update;
        continue when not exists (select from event_stream e where e.service = told and e.status <> 'disabled'
            and tell_streams.type = any (e.delivered));
        perform append_event(told, tell_streams.event,
            tell_streams.body || jsonb_build_object('account', tell_streams.person));
    end loop;
end
$$;

create function tell_credential(person uuid, credential text, change text) returns void language plpgsql as $$
begin
    -- Of an account that is deleted, that is all there is to tell.
    if exists (select from account a where a.id = tell_credential.person) then
        perform tell_streams(tell_credential.person,
            'https://schemas.openid.net/secevent/caep/event-type/credential-change', 'credential',
            jsonb_build_object('type', tell_credential.credential, 'change', tell_credential.change));
    end if;
end
$$;

create function account_signals() returns trigger language plpgsql as $$
declare
    change text;
begin
    if tg_op = 'DELETE' then
        change := 'purged';
    elsif new.status is distinct from old.status then
        change := case when new.status = 'active' then 'enabled' else 'disabled' end;
    end if;
    if change is not null then
        perform tell_streams(old.id, 'https://schemas.openid.net/secevent/risc/event-type/account-' || change,
            'account', jsonb_build_object('change', change));
    end if;
    if tg_op = 'UPDATE' and new.password is distinct from old.password then
        perform tell_credential(old.id, 'password', 'update');
    end if;
    return old;
end
$$;

-- Deferred: what is told is written behind all else, so that who tells waits for nobody who revokes.
create constraint trigger account_signals after update of status, password on account
    deferrable initially deferred for each row
    when (old.status is distinct from new.status or old.password is distinct from new.password)
    execute function account_signals();

-- Before: what says who knows the person goes with the row.
create trigger account_purged before delete on account for each row execute function account_signals();

-- `internal`: a passkey of the device that shows it (WebAuthn, 5.8.4).
create function passkey_type(transports text[]) returns text language sql immutable as $$
    select case when 'internal' = any (transports) then 'fido2-platform' else 'fido2-roaming' end
$$;

create function passkey_signals() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        perform tell_credential(new.account, passkey_type(new.transports), 'create');
    else
        perform tell_credential(old.account, passkey_type(old.transports), 'delete');
    end if;
    return null;
end
$$;

create constraint trigger passkey_added after insert on passkey deferrable initially deferred
    for each row when (new.account is not null) execute function passkey_signals();
create constraint trigger passkey_removed after delete on passkey deferrable initially deferred
    for each row when (old.account is not null) execute function passkey_signals();

-- A wallet's passkey that its owner logs in with: it is on the phone.
create function passkey_link_signals() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        perform tell_credential(new.account, 'fido2-platform', 'create');
    else
        perform tell_credential(old.account, 'fido2-platform', 'delete');
    end if;
    return null;
end
$$;

create constraint trigger passkey_link_signals after insert or delete on passkey_link
    deferrable initially deferred for each row execute function passkey_link_signals();

-- Phones that log people in here are of owner `house`, under the account's id. Nobody else's concern an account.
create function signalled_person(owner text, name text) returns uuid language sql immutable as $$
    select case when owner = 'house' and name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then name::uuid end
$$;

create function tiqr_signals() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        perform tell_credential(signalled_person(new.owner, new.external_id), 'app', 'create');
    elsif tg_op = 'DELETE' then
        perform tell_credential(signalled_person(old.owner, old.external_id), 'app', 'delete');
    else
        perform tell_credential(signalled_person(new.owner, new.external_id), 'app',
            case when new.blocked_for_good then 'revoke' else 'update' end);
    end if;
    return null;
end
$$;

create constraint trigger tiqr_added after insert on tiqr_identity deferrable initially deferred
    for each row when (new.owner = 'house') execute function tiqr_signals();
create constraint trigger tiqr_removed after delete on tiqr_identity deferrable initially deferred
    for each row when (old.owner = 'house') execute function tiqr_signals();
create constraint trigger tiqr_blocked after update of blocked_for_good on tiqr_identity
    deferrable initially deferred for each row
    when (new.owner = 'house' and old.blocked_for_good is distinct from new.blocked_for_good)
    execute function tiqr_signals();

-- A phone that approves is a factor from when it is active until it is removed; a blocked one may come back.
create function phone_signals() returns trigger language plpgsql as $$
begin
    perform tell_credential(signalled_person(new.owner, new.user_id), 'app',
        case when new.state = 'REMOVED' then 'delete' when new.state = 'BLOCKED' then 'revoke'
            when old.state = 'BLOCKED' then 'update' else 'create' end);
    return null;
end
$$;

create constraint trigger phone_signals after update of state on phone_registration
    deferrable initially deferred for each row
    when (new.owner = 'house' and old.state is distinct from new.state
        and (new.state = 'ACTIVE' or old.state in ('ACTIVE', 'BLOCKED')))
    execute function phone_signals();
