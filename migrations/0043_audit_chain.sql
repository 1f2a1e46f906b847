-- The hash chain over the audit trail (docs/audit.md). Beside the lines, not in them: who writes a line waits for nobody, and a line never changes.
-- One worker gives each line its place afterwards. Room: TokenTree.
create table audit_link (
    place  bigint primary key check (place > 0),
    line   bigint not null unique,
    -- Of the line; and of the place before with it.
    digest bytea not null check (octet_length(digest) = 32),
    hash   bytea not null check (octet_length(hash) = 32)
);

-- One a day: where its lines stand, and the hashes before its first and of its last. It outlives them.
create table audit_head (
    day       date primary key,
    first     bigint not null unique,
    last      bigint not null unique,
    previous  bytea not null check (octet_length(previous) = 32),
    hash      bytea not null check (octet_length(hash) = 32),
    -- Its lines were forgotten (`audit-kept`).
    purged_at timestamptz,
    check (first <= last)
);
