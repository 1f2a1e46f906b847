-- The token tree (design/token-tree.md). Room: TokenTree.

-- Single values that are state, not configuration: the epoch's number, the seed mark.
create table setting (
    name       text primary key,
    value      jsonb not null,
    changed_at timestamptz not null
);

-- Virtual ancestors: what is no token but can be cut. `id` is the generation that is open now; revoking writes it into
-- `revocation` and opens the next, so what is issued later lives.
create table ancestor (
    kind      text not null check (kind in ('epoch', 'version', 'instance', 'key', 'account', 'client', 'service', 'bundle')),
    name      text not null,
    id        uuid not null unique,
    opened_at timestamptz not null,
    primary key (kind, name)
);

-- One row for each cut, whatever hangs below. `label` is the node's name as cli.md spells it.
create table revocation (
    node       uuid primary key,
    label      text not null,
    revoked_at timestamptz not null,
    actor      text not null,
    reason     text
);
create index revocation_label on revocation (label, revoked_at desc);

-- Everything issued. Its place follows from its id (Base/NodeID), so a look-up touches one partition and purging is
-- dropping partitions. `lineage` is root first and ends with `family`: the node that stands for all rotations of a token.
create table token (
    id         uuid primary key,
    realm      text not null,
    kind       text not null check (kind in ('instance_token', 'code', 'pat', 'assertion', 'service_token', 'app_token', 'access_token')),
    family     uuid not null,
    parent     uuid,
    anchor     uuid not null,
    lineage    uuid[] not null,
    issued_at  timestamptz not null,
    expires_at timestamptz not null,
    used_at    timestamptz,
    child      uuid,
    secret     bytea check (octet_length(secret) = 32),
    account    uuid,
    client     text,
    service    text,
    bundle     text,
    scope      text,
    jkt        text,
    detail     jsonb not null default '{}',
    check (family = lineage[cardinality(lineage)]),
    check (expires_at > issued_at)
) partition by range (id);
create index token_anchor on token (anchor);

-- One row for each token that can be refreshed, however often it was. Not partitioned: it lives as long as its token is used.
-- A refresh token is (id, sequence, MAC under a key that is not in the database), so the row needs no secret at all.
create table family (
    id         uuid primary key,
    realm      text not null,
    kind       text not null check (kind in ('instance_token', 'pat', 'service_token', 'app_token', 'access_token')),
    parent     uuid,
    anchor     uuid not null,
    lineage    uuid[] not null,
    issued_at  timestamptz not null,
    idle_until timestamptz,
    sequence   integer not null default 0 check (sequence >= 0),
    rotated_at timestamptz,
    child      uuid not null,
    account    uuid,
    client     text,
    service    text,
    bundle     text,
    scope      text,
    jkt        text,
    detail     jsonb not null default '{}',
    check (id = lineage[cardinality(lineage)])
);
create index family_anchor on family (anchor);
create index family_idle on family (idle_until) where idle_until is not null;

-- Which service holds something below which node: who must be told when the node is cut.
create table reach (
    node    uuid not null,
    service text not null,
    primary key (node, service)
);

-- Moves of the last hours (rule 8): what was handed out before a move and is redeemed after it follows.
create table moved (
    anchor uuid not null,
    old    uuid not null,
    new    uuid not null,
    at     timestamptz not null,
    primary key (anchor, old)
);

-- Identifiers that work once: jti of assertions, proofs, codes. The id is a digest of namespace and jti behind the expiry.
create table one_time (
    id uuid primary key
) partition by range (id);

-- Who did what, when, from where, why.
create table audit (
    id      bigint generated always as identity primary key,
    at      timestamptz not null,
    actor   text not null,
    origin  text,
    action  text not null,
    node    text,
    account uuid,
    reason  text,
    outcome text not null,
    detail  jsonb not null default '{}'
);
create index audit_node on audit (node, id desc);
create index audit_account on audit (account, id desc) where account is not null;
