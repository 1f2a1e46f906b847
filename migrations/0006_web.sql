-- The web side: sessions, authorization requests, consents, logout, devices, self-registered clients.

-- Rooms: TokenTree, Keys. A browser session, the grant of one person to one client, and a signing key can be cut like every other ancestor.
alter table ancestor drop constraint ancestor_kind_check;
alter table ancestor add constraint ancestor_kind_check
    check (kind in ('epoch', 'signer', 'version', 'instance', 'key', 'account', 'session', 'client', 'grant', 'service', 'bundle'));
alter table signing_key drop constraint signing_key_status_check;
alter table signing_key add constraint signing_key_status_check check (status in ('next', 'active', 'retiring', 'retired', 'revoked'));

-- Room: Registration. `metadata` is what a client says of itself besides the columns (RFC 7591, 2; OpenID Connect Registration, 2), checked.
-- `claims` is what the operator lets it know of a person; null means: whatever its scopes name.
alter table client drop constraint client_auth_method_check;
alter table client add constraint client_auth_method_check check (auth_method in
    ('client_secret_basic', 'client_secret_post', 'private_key_jwt', 'tls_client_auth', 'self_signed_tls_client_auth', 'none'));
alter table client add column metadata jsonb not null default '{}', add column claims text[];
alter table client add constraint client_registration_token_check check (octet_length(registration_token) = 32);
-- What those who register with it may ask for: `{"grant_types": […], "scopes": […]}`; a missing member means the standard. A client keeps
-- that of its invitation, for its later changes.
alter table invitation add column policy jsonb not null default '{}';
alter table client add column policy jsonb, add constraint client_managed_check check ((registration_token is null) = (policy is null));

-- Room: Accounts. A person's login in one browser; `id` is the `sid` that clients see. `lineage` is epoch, account, session: whether it
-- lives is read from it. `secret` is the hash of the cookie, which changes at every login.
create table browser_session (
    id         text primary key,
    secret     bytea not null unique check (octet_length(secret) = 32),
    account    uuid not null references account on delete cascade,
    lineage    uuid[] not null,
    device     text,
    origin     text,
    created_at timestamptz not null,
    last_seen  timestamptz not null,
    expires_at timestamptz not null
);
create index browser_session_account on browser_session (account);
create index browser_session_expires on browser_session (expires_at);
alter table authentication_event add column session text references browser_session on delete set null;
create index authentication_event_session on authentication_event (session, at desc) where session is not null;

-- Room: OAuth. A checked authorization request between the client's question and the answer, pushed (RFC 9126) or not.
-- `reference` is the hash of what stands in the URL. `browser` is the hash of the cookie of the browser that opened it.
create table authorization_request (
    reference   bytea primary key check (octet_length(reference) = 32),
    client      text not null references client on delete cascade,
    parameters  jsonb not null,
    browser     bytea check (octet_length(browser) = 32),
    created_at  timestamptz not null,
    expires_at  timestamptz not null,
    opened_at   timestamptz,
    answered_at timestamptz
);
create index authorization_request_expires on authorization_request (expires_at);

-- What a person agreed to let a client know and do, so that they are asked once.
create table consent (
    account    uuid not null references account on delete cascade,
    client     text not null references client on delete cascade,
    scopes     text[] not null,
    claims     text[] not null default '{}',
    given_at   timestamptz not null,
    changed_at timestamptz not null,
    primary key (account, client)
);

-- Which clients a browser session logged in to: whom a logout concerns (OpenID Connect Back-Channel Logout 1.0).
create table session_client (
    session  text not null references browser_session on delete cascade,
    client   text not null references client on delete cascade,
    subject  text not null,
    first_at timestamptz not null,
    primary key (session, client)
);
create index session_client_client on session_client (client);

create table logout_delivery (
    id         bigint generated always as identity primary key,
    client     text not null references client on delete cascade,
    uri        text not null,
    session    text not null,
    subject    text not null,
    created_at timestamptz not null,
    attempts   integer not null default 0,
    next_try   timestamptz not null,
    last_error text
);
create index logout_delivery_due on logout_delivery (next_try);

-- A device that waits for a person elsewhere (RFC 8628). `device` and `user_code` are hashes.
create table device_authorization (
    device     bytea primary key check (octet_length(device) = 32),
    user_code  bytea not null unique check (octet_length(user_code) = 32),
    client     text not null references client on delete cascade,
    parameters jsonb not null,
    status     text not null default 'pending' check (status in ('pending', 'approved', 'denied', 'used')),
    account    uuid references account on delete cascade,
    approval   jsonb not null default '{}',
    lineage    uuid[] not null default '{}',
    interval_s integer not null default 5 check (interval_s > 0),
    last_poll  timestamptz,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    check (status <> 'approved' or account is not null)
);
create index device_authorization_expires on device_authorization (expires_at);
