-- PowerAuth 3.3: applications, registrations of phones, temporary keys, tokens (design/backoffice.md, protocols/operations.md 4). Room: Operations.
-- What is sealed stands beside the id of the master key that sealed it, and is bound to table, column and row. Replays are in `one_time`.

-- `owner`: `client:ID` or `house`. The pair signs activation codes, offline codes and temporary keys; `master_private` is sealed.
create table phone_application (
    id               text primary key,
    owner            text not null,
    app_id           text not null check (app_id ~ '^[A-Za-z0-9._:-]{1,100}$'),
    name             text not null,
    master_public    bytea not null check (octet_length(master_public) = 65),
    master_private   bytea not null,
    master_sealed_by text not null,
    created_at       timestamptz not null,
    unique (owner, app_id)
);

-- A version of an app: what is compiled into it. `application_key` is Base64 of 16 bytes and names it; `secret` is 16 bytes, sealed.
create table phone_application_version (
    application_key  text primary key check (length(application_key) = 24),
    number           bigint generated always as identity,
    application      text not null references phone_application on delete cascade,
    secret           bytea not null,
    secret_sealed_by text not null,
    supported        boolean not null default true,
    created_at       timestamptz not null
);
create index phone_application_version_newest on phone_application_version (application, number desc);

-- One app on one phone for one user; `id` is PowerAuth's activation id. `begun_by` and `lineage`: of the app token that began it, on whose life it hangs
-- until it is committed. `code_hash` is SHA-256 of the activation code, until it is used. Until the key exchange `expires_at` is the code's end,
-- then the last moment to commit: both are read, and written later. `protocol` and `algorithm` are there for version 4.
create table phone_registration (
    id               text primary key,
    application      text not null references phone_application,
    owner            text not null,
    begun_by         uuid,
    lineage          uuid[] not null default '{}',
    user_id          text not null check (length(user_id) between 1 and 255),
    state            text not null default 'CREATED' check (state in ('CREATED', 'PENDING_COMMIT', 'ACTIVE', 'BLOCKED', 'REMOVED')),
    protocol         text not null default '3.3',
    algorithm        text not null default 'P256',
    commit_phase     text not null check (commit_phase in ('ON_COMMIT', 'ON_KEY_EXCHANGE')),
    code_hash        bytea unique check (octet_length(code_hash) = 32),
    expires_at       timestamptz not null,
    otp              bytea,
    otp_sealed_by    text,
    otp_validation   text check (otp_validation in ('ON_COMMIT', 'ON_KEY_EXCHANGE')),
    otp_tries        integer not null default 0 check (otp_tries between 0 and 5),
    device_key       bytea check (octet_length(device_key) in (33, 65)),
    server_public    bytea check (octet_length(server_public) = 65),
    server_private   bytea,
    server_sealed_by text,
    ctr_data         bytea check (octet_length(ctr_data) = 16),
    ctr_byte         integer not null default 0 check (ctr_byte between 0 and 255),
    failed           integer not null default 0,
    max_failed       integer not null default 5 check (max_failed between 1 and 255),
    look_ahead       integer not null default 20 check (look_ahead between 1 and 255),
    flags            text[] not null default '{}',
    blocked_reason   text,
    name             text,
    platform         text,
    device_info      text,
    external_id      text,
    push_platform    text,
    push_token       text,
    push_environment text,
    created_at       timestamptz not null,
    committed_at     timestamptz,
    last_used_at     timestamptz,
    removed_at       timestamptz,
    check (failed between 0 and max_failed),
    check (state <> 'ACTIVE' or failed < max_failed),
    check ((otp is null) = (otp_sealed_by is null)),
    check (otp is null or otp_validation is not null),
    check ((server_private is null) = (device_key is null) and (server_private is null) = (server_public is null)
           and (server_private is null) = (server_sealed_by is null) and (server_private is null) = (ctr_data is null)),
    check (state in ('CREATED', 'REMOVED') or (server_private is not null and code_hash is null)),
    check (state <> 'CREATED' or code_hash is not null),
    check (state <> 'REMOVED' or code_hash is null),
    check ((state = 'REMOVED') = (removed_at is not null)),
    check ((push_platform is null) = (push_token is null))
);
create index phone_registration_user on phone_registration (application, user_id, created_at desc);
create index phone_registration_owner on phone_registration (owner, user_id, created_at desc);
create index phone_registration_due on phone_registration (expires_at) where state in ('CREATED', 'PENDING_COMMIT');
create index phone_registration_unused on phone_registration (removed_at) where state = 'REMOVED' and device_key is null;

-- The server's half of an encryption, for five minutes: bound to an app version and, in activation scope, to a registration.
create table phone_temporary_key (
    id                text primary key,
    application_key   text not null references phone_application_version on delete cascade,
    registration      text references phone_registration on delete cascade,
    private           bytea not null,
    private_sealed_by text not null,
    expires_at        timestamptz not null
);
create index phone_temporary_key_expiry on phone_temporary_key (expires_at);
create index phone_temporary_key_registration on phone_temporary_key (registration) where registration is not null;

-- What a phone reads with, without factors. `factor` is that of the signature that made it; `secret` is 16 bytes, sealed.
create table phone_token (
    id               text primary key,
    registration     text not null references phone_registration on delete cascade,
    factor           text not null,
    secret           bytea not null,
    secret_sealed_by text not null,
    created_at       timestamptz not null
);
create index phone_token_registration on phone_token (registration);
