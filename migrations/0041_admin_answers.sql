-- Answers of the administration API by Idempotency-Key, for a day, so that what is asked for again is done once. Room: Console.
create table admin_answer (
    -- A digest of who asks and of their key.
    id          bytea primary key,
    -- What was asked for, digested under a key: it may hold a password.
    fingerprint bytea not null,
    -- Under a key that the master key seals: it may hold a secret that is told once.
    answer      bytea not null,
    created_at  timestamptz not null
);
create index admin_answer_age on admin_answer (created_at);
