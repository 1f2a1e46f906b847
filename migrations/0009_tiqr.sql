-- Phone login by QR and OCRA (design/backoffice.md, protocols/tiqr.md). Room: Tiqr.
-- Keys that stand in links are computed from row ids under a key outside the database; here are their SHA-256 only.

-- A service identifier and its suite belong together for ever: phones keep the first that they saw.
create table tiqr_identifier (
    identifier   text primary key check (identifier ~ '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$' and length(identifier) <= 253),
    display_name text not null,
    suite        text not null,
    created_at   timestamptz not null
);

create function tiqr_suite_is_frozen() returns trigger language plpgsql as $$
begin
    raise exception 'a service identifier keeps its suite' using errcode = 'check_violation', constraint = 'tiqr_suite_is_frozen';
end
$$;
create trigger tiqr_suite_is_frozen before update of identifier, suite on tiqr_identifier for each row
    when (old.identifier is distinct from new.identifier or old.suite is distinct from new.suite) execute function tiqr_suite_is_frozen();

-- `owner`: `client:ID`, `person:PSEUDONYM` or `house`. `begun_by` and `lineage`: of the app token that began it, on whose life it hangs.
-- Expiry and that end are read, never written. `version` is the ETag's part.
create table tiqr_enrollment (
    id           text primary key,
    owner        text not null,
    begun_by     uuid,
    lineage      uuid[] not null default '{}',
    identifier   text not null references tiqr_identifier,
    suite        text not null,
    identity     text not null unique check (identity ~ '^[A-Za-z0-9._~-]{16,64}$'),
    display_name text not null,
    external_id  text,
    key_hash     bytea not null unique check (octet_length(key_hash) = 32),
    secret_hash  bytea not null unique check (octet_length(secret_hash) = 32),
    state        text not null default 'initialized' check (state in ('initialized', 'retrieved', 'finalized', 'validated', 'cancelled')),
    version      integer not null default 1,
    created_at   timestamptz not null,
    expires_at   timestamptz not null
);
create index tiqr_enrollment_expiry on tiqr_enrollment (expires_at);

-- What a phone holds. `secret` is sealed by the master key `sealed_by`, bound to the identity.
-- `failures` since the last right answer or block; a block takes them to 0 and goes one step up the ladder, which only a right answer takes back.
create table tiqr_identity (
    identity         text primary key check (identity ~ '^[A-Za-z0-9._~-]{1,128}$'),
    owner            text not null,
    identifier       text not null references tiqr_identifier,
    suite            text not null,
    display_name     text not null,
    external_id      text,
    secret           bytea not null,
    sealed_by        text not null,
    failures         integer not null default 0 check (failures between 0 and 4),
    blocked_until    timestamptz,
    blocked_for_good boolean not null default false,
    block_step       integer not null default 0 check (block_step >= 0),
    push_type        text,
    push_address     text,
    created_at       timestamptz not null,
    last_login_at    timestamptz,
    check ((push_type is null) = (push_address is null))
);
create index tiqr_identity_owner on tiqr_identity (owner, identity);
create index tiqr_identity_external on tiqr_identity (owner, external_id) where external_id is not null;

-- `identity` as the caller named it, `answered_by` whoever gave the right answer. Neither refers to the row: an identity may go, its history stays.
create table tiqr_authentication (
    id               text primary key,
    owner            text not null,
    begun_by         uuid,
    lineage          uuid[] not null default '{}',
    identifier       text not null references tiqr_identifier,
    identity         text,
    external_id      text,
    service_provider text,
    return_url       text,
    session_hash     bytea not null unique check (octet_length(session_hash) = 32),
    question         text not null check (question ~ '^[0-9a-f]{8,64}$'),
    state            text not null default 'pending' check (state in ('pending', 'authenticated', 'cancelled', 'failed')),
    failures         integer not null default 0 check (failures between 0 and 5),
    answered_by      text,
    method           text check (method in ('online', 'otp')),
    authenticated_at timestamptz,
    version          integer not null default 1,
    created_at       timestamptz not null,
    expires_at       timestamptz not null,
    check ((state = 'failed') = (failures = 5)),
    check ((state = 'authenticated') = (answered_by is not null and method is not null and authenticated_at is not null))
);
create index tiqr_authentication_expiry on tiqr_authentication (expires_at);

-- Pushes to be sent, written in the transaction that begins the authentication. The link is not in here: it is computed when it is sent.
create table tiqr_push (
    authentication text primary key references tiqr_authentication on delete cascade,
    identity       text not null references tiqr_identity on delete cascade,
    created_at     timestamptz not null,
    expires_at     timestamptz not null,
    next_try       timestamptz not null,
    failures       integer not null default 0,
    last_error     text
);
create index tiqr_push_due on tiqr_push (next_try);
create index tiqr_push_identity on tiqr_push (identity);
