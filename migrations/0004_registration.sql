-- Clients: apps and their versions, app instances, web and service clients. Room: Registration.
create table app (
    id         text primary key,
    name       text not null,
    legacy     boolean not null default false,
    created_at timestamptz not null
);

-- `ordinal` orders the versions of an app: a version is newer than all added before it.
create table app_version (
    id         text primary key,
    app        text not null references app,
    version    text not null,
    ordinal    bigint generated always as identity,
    kid        text not null,
    thumbprint text not null,
    jwk        jsonb not null,
    status     text not null default 'allowed' check (status in ('allowed', 'refused')),
    created_at timestamptz not null,
    unique (app, version)
);

-- `lineage` is epoch, version, instance, key: whether the instance lives is read from it, never written here.
create table app_instance (
    id          text primary key,
    app         text not null references app,
    version     text not null references app_version,
    device_id   text not null,
    name        text,
    device_type text,
    os_version  text,
    device      jsonb not null default '{}',
    thumbprint  text not null,
    jwk         jsonb not null,
    account     uuid references account on delete set null,
    lineage     uuid[] not null,
    created_at  timestamptz not null,
    last_seen   timestamptz not null
);
create index app_instance_device on app_instance (app, device_id);
create index app_instance_thumbprint on app_instance (thumbprint);
create index app_instance_account on app_instance (account) where account is not null;
create index app_instance_version on app_instance (version);
create index app_instance_created on app_instance (created_at, id);

-- Who may not register again until an admin lifts it.
create table block (
    kind       text not null check (kind in ('device', 'key')),
    name       text not null,
    instance   text not null,
    blocked_at timestamptz not null,
    actor      text not null,
    reason     text,
    primary key (kind, name)
);
create index block_instance on block (instance);

-- Web clients, and the client that each service is at the IdP.
create table client (
    id                 text primary key,
    name               text not null,
    auth_method        text not null check (auth_method in ('client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none')),
    secret             bytea check (octet_length(secret) = 32),
    jwks               jsonb,
    jwks_uri           text,
    redirect_uris      text[] not null default '{}',
    grant_types        text[] not null default '{}',
    scope              text not null default '',
    registration_token bytea,
    created_at         timestamptz not null
);
create index client_created on client (created_at, id);

create table invitation (
    secret     bytea primary key,
    uses       integer not null check (uses >= 0),
    expires_at timestamptz not null,
    created_at timestamptz not null
);
