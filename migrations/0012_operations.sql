-- Operations: approve or reject on the phone (design/backoffice.md, protocols/operations.md). Room: Operations.

-- Rows never change: a template that is edited gets a new row, and operations keep the one that they were made from.
-- `texts` is json, not jsonb: what the phone reads keeps the order in which it was written.
create table operation_template (
    id              text primary key,
    owner           text not null,
    name            text not null check (length(name) between 1 and 128),
    operation_type  text not null check (length(operation_type) between 1 and 128),
    data_template   text not null,
    allowed_factors text[] not null check (cardinality(allowed_factors) between 1 and 3),
    max_failures    integer not null check (max_failures between 1 and 100),
    expiration      integer not null check (expiration between 1 and 2592000),
    risk_flags      text not null check (risk_flags ~ '^[XCF]{0,3}$'),
    proximity_check boolean not null,
    texts           json not null,
    created_at      timestamptz not null,
    replaced_at     timestamptz
);
create unique index operation_template_name on operation_template (owner, name) where replaced_at is null;
create index operation_template_replaced on operation_template (replaced_at) where replaced_at is not null;

-- `begun_by` and `lineage`: of the app token that began it, on whose life it hangs. Expiry and that end are read, and written later by a worker.
-- `registration` binds it to one phone, `flag` to phones that have the flag. `seed` is that of the proximity check, sealed by the master key `sealed_by`,
-- bound to the row. `finished_by` and `factor` say which phone ended it how. `number` is the order of lists, `version` the ETag's part.
create table phone_operation (
    id                text primary key,
    number            bigint generated always as identity,
    owner             text not null,
    begun_by          uuid,
    lineage           uuid[] not null default '{}',
    application       text not null,
    template          text not null references operation_template,
    user_id           text,
    registration      text,
    flag              text,
    external_id       text,
    language          text,
    data              text not null,
    parameters        json not null,
    additional_data   json,
    silent            boolean not null default false,
    seed              bytea,
    sealed_by         text,
    status            text not null default 'PENDING' check (status in ('PENDING', 'APPROVED', 'REJECTED', 'CANCELED', 'EXPIRED', 'FAILED')),
    status_reason     text check (length(status_reason) <= 32),
    failures          integer not null default 0,
    max_failures      integer not null,
    reject_reason     text check (length(reject_reason) <= 256),
    mobile_token_data json,
    finished_by       text,
    factor            text,
    version           integer not null default 1,
    created_at        timestamptz not null,
    expires_at        timestamptz not null,
    finished_at       timestamptz,
    check (failures between 0 and max_failures),
    check ((status = 'FAILED') = (failures = max_failures)),
    check ((status = 'PENDING') = (finished_at is null)),
    check (status <> 'APPROVED' or (finished_by is not null and factor is not null and user_id is not null)),
    check ((seed is null) = (sealed_by is null))
);
create index phone_operation_list on phone_operation (application, user_id, number desc) where status = 'PENDING';
create index phone_operation_history on phone_operation (application, user_id, number desc);
create index phone_operation_owner on phone_operation (owner, number desc);
create index phone_operation_pending on phone_operation (owner, number desc) where status = 'PENDING';
create index phone_operation_user on phone_operation (owner, user_id, number desc);
create index phone_operation_external on phone_operation (owner, external_id) where external_id is not null;
create index phone_operation_due on phone_operation (expires_at) where status = 'PENDING';
create index phone_operation_over on phone_operation (finished_at) where status <> 'PENDING';
create index phone_operation_template on phone_operation (template);

-- Nonces of offline codes. `step` is the proximity code's time step in the text, from which its digits are computed again.
create table phone_offline_nonce (
    nonce        bytea primary key check (octet_length(nonce) = 16),
    operation    text not null references phone_operation on delete cascade,
    registration text not null,
    step         bigint,
    created_at   timestamptz not null
);
create index phone_offline_nonce_operation on phone_offline_nonce (operation, created_at desc);

create table phone_inbox_message (
    id          text primary key,
    number      bigint generated always as identity,
    owner       text not null,
    application text not null,
    user_id     text not null,
    subject     text not null,
    summary     text not null,
    body        text not null,
    type        text not null check (type in ('text', 'html')),
    read_at     timestamptz,
    created_at  timestamptz not null
);
create index phone_inbox_message_list on phone_inbox_message (application, user_id, number desc);
create index phone_inbox_message_unread on phone_inbox_message (application, user_id, number desc) where read_at is null;
create index phone_inbox_message_age on phone_inbox_message (created_at);

-- Where a service hears of changes. `secret` signs; it is sealed and bound to the row. Without `attributes` all members but data and parameters are told.
create table operations_callback (
    id         text primary key,
    owner      text not null,
    url        text not null,
    events     text[] not null check (cardinality(events) between 1 and 2 and events <@ array['operation', 'registration']),
    attributes text[],
    secret     bytea not null,
    sealed_by  text not null,
    created_at timestamptz not null
);
create index operations_callback_owner on operations_callback (owner, created_at);

-- What is to be told, written in the transaction of the change. `body` stays as it is at every try. `next_try` is null once it is delivered or given up.
create table operations_callback_event (
    id           text primary key,
    number       bigint generated always as identity,
    callback     text not null references operations_callback on delete cascade,
    type         text not null,
    subject      text not null,
    body         text not null,
    created_at   timestamptz not null,
    next_try     timestamptz,
    first_try    timestamptz not null,
    tries        integer not null default 0,
    delivered_at timestamptz,
    last_error   text
);
create index operations_callback_event_due on operations_callback_event (callback, next_try, number) where next_try is not null;
create index operations_callback_event_list on operations_callback_event (callback, number desc);
create index operations_callback_event_age on operations_callback_event (created_at);

-- Pushes to be sent, one per phone; `payload` is what the app reads (protocols/operations.md, 1.5).
create table phone_push (
    id           text primary key,
    registration text not null,
    payload      json not null,
    created_at   timestamptz not null,
    expires_at   timestamptz not null,
    next_try     timestamptz not null,
    failures     integer not null default 0,
    last_error   text
);
create index phone_push_due on phone_push (next_try);
create index phone_push_expiry on phone_push (expires_at);

-- Registrations that are over go, those that never had a phone first.
create index phone_registration_removed on phone_registration (removed_at) where state = 'REMOVED';
drop index phone_registration_unused;
