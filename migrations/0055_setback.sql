-- That the database went back to an earlier state (a failover that lost commits, a restore), as a refresh token proved that is ahead of its row: one row,
-- from the first proof until an operator has ended all tokens or settled it (docs/high-availability.md). Room: TokenTree.
create table setback (
    sole     boolean primary key default true check (sole),
    first_at timestamptz not null,
    last_at  timestamptz not null check (last_at >= first_at),
    -- How many families have proved it, and by how many rotations at most.
    families bigint not null check (families > 0),
    ahead    integer not null check (ahead > 0)
);
