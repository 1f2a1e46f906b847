-- Passkeys of people and of wallets (design/decisions.md, "liquid"; protocols/liquid.md). Room: Liquid.

-- An Algorand address that has registered a passkey. `handle` is its id on the wire.
create table liquid_wallet (
    address    text primary key check (address ~ '^[A-Z2-7]{58}$'),
    handle     bytea not null unique check (octet_length(handle) = 32),
    created_at timestamptz not null
);

-- The user handle of an account's passkeys (WebAuthn, 5.4.3): says nothing about the person.
create table passkey_user (
    account    uuid primary key references account on delete cascade,
    handle     bytea not null unique check (octet_length(handle) = 32),
    created_at timestamptz not null
);

-- One row for each credential, whoever has it: an account (`idp`) or a wallet (`liquid`). `cose_key` is COSE_Key as the authenticator wrote it.
-- `sign_count` never goes down; `flagged_at` is when the counter last did. `attestation_object` where a configured root
-- stands behind it.
create table passkey (
    id                 bytea primary key check (octet_length(id) between 1 and 1023),
    flow               text not null check (flow in ('idp', 'liquid')),
    account            uuid references account on delete cascade,
    wallet             text references liquid_wallet,
    name               text not null check (length(name) between 1 and 100),
    device             text check (length(device) between 1 and 100),
    cose_key           bytea not null,
    algorithm          integer not null,
    sign_count         bigint not null check (sign_count between 0 and 4294967295),
    flagged_at         timestamptz,
    uv_initialized     boolean not null,
    backup_eligible    boolean not null,
    backed_up          boolean not null,
    model              bytea not null check (octet_length(model) = 16),
    transports         text[] not null,
    format             text not null,
    attestation_type   text not null,
    trust              text not null,
    attestation_object bytea,
    created_at         timestamptz not null,
    last_used_at       timestamptz,
    check ((flow = 'idp') = (account is not null)),
    check ((flow = 'liquid') = (wallet is not null))
);
create index passkey_account on passkey (account) where account is not null;
create index passkey_wallet on passkey (wallet) where wallet is not null;

-- A wallet's passkey that its owner also logs in to an account with.
create table passkey_link (
    credential bytea primary key references passkey on delete cascade,
    account    uuid not null references account on delete cascade,
    linked_at  timestamptz not null
);
create index passkey_link_account on passkey_link (account);

-- What a session was asked last; the row goes with the first answer, whatever it is. `holder` is a hash of what its browser or wallet alone has.
-- `account` is who is asked, `credential` the only one that may answer; null: any.
create table webauthn_challenge (
    holder     bytea primary key check (octet_length(holder) = 32),
    purpose    text not null check (purpose in ('liquid_register', 'liquid_login', 'register', 'login', 'link')),
    challenge  bytea not null check (octet_length(challenge) = 32),
    account    uuid references account on delete cascade,
    credential bytea,
    created_at timestamptz not null,
    expires_at timestamptz not null
);
create index webauthn_challenge_expires on webauthn_challenge (expires_at);
create index webauthn_challenge_account on webauthn_challenge (account) where account is not null;

-- What stands behind `connect.sid`; nobody's session has a row before it logs in or asks to be linked. `id` is its name in the tree (`session:liquid:ID`),
-- `secret` the hash of the cookie. `lineage` is epoch, passkey, session: whether it lives is read from it. `credential` let it in: it answered in this
-- session, or in the one that this was linked with.
create table liquid_session (
    id         text primary key,
    secret     bytea not null check (octet_length(secret) = 32),
    lineage    uuid[] not null,
    wallet     text references liquid_wallet on delete cascade,
    credential bytea,
    entered    text check (entered in ('credential', 'link')),
    device     text,
    origin     text,
    created_at timestamptz not null,
    last_seen  timestamptz not null,
    expires_at timestamptz not null,
    check ((wallet is null) = (entered is null) and (wallet is null) = (credential is null))
);
create index liquid_session_wallet on liquid_session (wallet) where wallet is not null;
create index liquid_session_credential on liquid_session (credential) where credential is not null;
create index liquid_session_expires on liquid_session (expires_at);
