-- Login at an institution's own identity provider (OpenID Connect). Room: Upstream.
create table upstream_provider (
    id            text primary key check (id ~ '^[a-z0-9][a-z0-9.-]{0,63}$'),
    issuer        text not null,
    institution   text not null references institution,
    name          text not null,
    client_id     text not null,
    auth_method   text not null
        check (auth_method in ('client_secret_basic', 'client_secret_post', 'private_key_jwt')),
    -- Under the master key that `sealed_by` names.
    sealed_secret bytea,
    sealed_by     text,
    scope         text not null,
    link_by       text not null check (link_by in ('sub', 'email', 'eppn')),
    -- Whoever is not known here gets an account.
    creates       boolean not null,
    asks_userinfo boolean not null,
    -- Members of an account by the claims that they come from, where those have other names.
    claims        jsonb not null,
    -- Levels of ours by the `acr` values that the provider has for them.
    levels        jsonb not null,
    is_enabled    boolean not null,
    created_at    timestamptz not null,
    constraint upstream_provider_secret_check check (
        (sealed_secret is not null) = (auth_method <> 'private_key_jwt')
        and (sealed_secret is null) = (sealed_by is null))
);
create unique index upstream_provider_client on upstream_provider (issuer, client_id);
create index upstream_provider_institution on upstream_provider (institution);

create table upstream_link (
    provider     text not null references upstream_provider on delete cascade,
    subject      text not null,
    account      uuid not null references account on delete cascade,
    -- The account was made for it: it has a password that nobody knows.
    made_account boolean not null,
    -- What the provider said last of the person, so that what others said is left alone.
    told         jsonb not null,
    linked_at    timestamptz not null,
    last_used_at timestamptz,
    primary key (provider, subject)
);
create index upstream_link_account on upstream_link (account, linked_at);

-- Which browser sessions came from which session there, for logout from there.
create table upstream_session (
    session  text not null references browser_session on delete cascade,
    provider text not null,
    subject  text not null,
    -- `sid` there; empty where the provider tells none.
    sid      text not null,
    at       timestamptz not null,
    primary key (session, provider, subject, sid),
    foreign key (provider, subject) references upstream_link on delete cascade
);
create index upstream_session_subject on upstream_session (provider, subject);
create index upstream_session_sid on upstream_session (provider, sid) where sid <> '';

create index account_eppn on account ((attributes -> 'eduperson_principal_name' ->> 0))
    where attributes -> 'eduperson_principal_name' is not null;

-- People whose password an LDAP directory knows, by the name that they type.
create table directory_person (
    account      uuid primary key references account on delete cascade,
    name         text not null unique,
    -- What the directory said last, so that what others said is left alone.
    told         jsonb not null,
    linked_at    timestamptz not null,
    last_used_at timestamptz
);
