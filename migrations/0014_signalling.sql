-- Signalling between a page and a wallet (design/decisions.md, "liquid" 2, 9 and 11; protocols/liquid.md, 3). Room: Liquid.

-- Two sides of one request id: the session that linked it first, and that of the wallet that authenticated with it, whichever came first.
-- `request` keeps the id's JSON type (`s:` text, `n:` number). Sessions are `liquid_session.id`, of rows that may be gone. `origin` is the linking page's.
-- Until both are there `expires_at` is the end of the request; afterwards that of the link.
create table signalling_link (
    request    text primary key check (length(request) between 3 and 64 and request ~ '^[sn]:'),
    linker     text,
    origin     text check (length(origin) <= 300),
    session    text,
    wallet     text,
    credential bytea,
    created_at timestamptz not null,
    linked_at  timestamptz,
    expires_at timestamptz not null,
    check (linker is not null or session is not null),
    check (linker <> session),
    check ((session is null) = (wallet is null) and (session is null) = (credential is null)),
    check (linked_at is null or (linker is not null and session is not null))
);
create index signalling_link_linker on signalling_link (linker, linked_at desc) where linker is not null;
create index signalling_link_session on signalling_link (session, linked_at desc) where session is not null;
create index signalling_link_wallet on signalling_link (wallet, linked_at desc) where linked_at is not null;
create index signalling_link_expires on signalling_link (expires_at);

-- What is too long for NOTIFY, read by every replica when it is told, and gone a minute later. After a crash there is nobody left to read it.
create unlogged table signalling_body (
    id         text primary key,
    body       text not null,
    created_at timestamptz not null default clock_timestamp()
);
create index signalling_body_age on signalling_body (created_at);
