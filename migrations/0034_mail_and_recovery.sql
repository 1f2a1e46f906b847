-- Mail, and what it leads to: addresses that are verified, links that are good for once, codes for who has lost a phone.
-- Rooms: Accounts, OAuth.

-- When its owner last showed that they read there. An address that an operator writes has none.
alter table account add column email_verified_at timestamptz;
create index account_email on account (lower(email)) where email is not null;

-- In which language somebody last logged in with a browser: that of their mail. Goes with the account.
create table account_language (
    account  uuid primary key references account on delete cascade,
    language text not null check (language in ('en', 'de', 'fr', 'it'))
);

-- What a link in a mail, or one that an operator hands over, lets somebody do, once. `secret` is the hash of what stands in the address.
-- `lineage` is what it hangs from: it reads as ended when any of that is. `detail` is the purpose's own: an address, what is to be ended.
-- The row goes when it is used, with the account, or an hour after it has expired (housekeeping).
create table account_link (
    secret     bytea primary key check (octet_length(secret) = 32),
    purpose    text not null check (purpose in ('reset', 'invite', 'verify', 'cut')),
    account    uuid not null references account on delete cascade,
    lineage    uuid[] not null check (cardinality(lineage) > 0),
    detail     jsonb not null,
    created_at timestamptz not null,
    expires_at timestamptz not null
);
create index account_link_account on account_link (account, purpose);
create index account_link_expires on account_link (expires_at);

-- Codes that stand in for a second factor, once each: ten to an account, replaced together. `code` is a keyed hash. Goes when it is used,
-- and with the account.
create table recovery_code (
    account    uuid not null references account on delete cascade,
    code       bytea not null check (octet_length(code) = 32),
    created_at timestamptz not null,
    primary key (account, code)
);

-- What is to be mailed. `sealed` holds all of it, also to whom: links are in it. A row of nobody's account is a request that was not yet looked at:
-- whether there is such an account nobody learns by asking. The row goes when it is sent, or is given up, or has expired.
create table mail (
    id         uuid primary key,
    account    uuid references account on delete cascade,
    sealed     bytea not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    attempts   integer not null default 0 check (attempts >= 0),
    next_try   timestamptz not null,
    last_error text
);
create index mail_due on mail (next_try);
create index mail_asked on mail (next_try) where account is null;
create index mail_account on mail (account) where account is not null;
create index mail_expires on mail (expires_at);
