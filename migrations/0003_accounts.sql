-- People. Room: Accounts.
create table account (
    id              uuid primary key,
    username        text not null,
    email           text,
    name            text,
    given_name      text,
    family_name     text,
    password        text not null,
    status          text not null default 'active' check (status in ('active', 'suspended')),
    required_factor text not null default 'none' check (required_factor in ('none', 'any', 'tiqr', 'passkey')),
    admin           boolean not null default false,
    created_at      timestamptz not null
);
create unique index account_username on account (lower(username));
create index account_created on account (created_at, id);

-- Wrong attempts, per account and instance (api.md: never by address alone). `subject` is "login ACCOUNT INSTANCE".
create table attempt (
    subject       text primary key,
    failures      integer not null check (failures >= 0),
    blocked_until timestamptz,
    last_at       timestamptz not null
);

-- Each success of a login method. The browser's dispatcher and step-up read them.
create table authentication_event (
    id      uuid primary key,
    account uuid not null references account on delete cascade,
    method  text not null,
    client  text,
    at      timestamptz not null
);
create index authentication_event_account on authentication_event (account, at desc);
