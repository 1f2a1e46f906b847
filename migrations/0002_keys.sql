-- Signing keys. Room: Keys. `private` is sealed by the master key, bound to the kid.
create table signing_key (
    kid        text primary key,
    alg        text not null,
    public     jsonb not null,
    private    bytea not null,
    sealed_by  text not null,
    status     text not null check (status in ('next', 'active', 'retiring', 'retired')),
    created_at timestamptz not null,
    not_before timestamptz not null,
    retire_at  timestamptz
);
create unique index signing_key_active on signing_key (alg) where status = 'active';
create unique index signing_key_next on signing_key (alg) where status = 'next';

-- Keys that must outlive a change of the master key: of refresh tokens, of pseudonyms. Sealed like signing keys.
create table sealed_secret (
    name       text primary key,
    sealed     bytea not null,
    sealed_by  text not null,
    created_at timestamptz not null
);
