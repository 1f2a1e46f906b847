-- What anybody can cause again and again, before it becomes a line of the audit trail: one row for each minute, action, outcome, reason, node and account, with a
-- count. When the minute is over, housekeeping writes the line and deletes the row: a line of `audit` never changes. Room: TokenTree.
create table audit_tally (
    id       bigint generated always as identity primary key,
    minute   timestamptz not null,
    action   text not null,
    outcome  text not null,
    reason   text not null default '',
    node     text not null default '',
    account  uuid,
    -- Who came last, and from where.
    actor    text not null,
    origin   text,
    count    bigint not null default 1 check (count > 0),
    first_at timestamptz not null,
    last_at  timestamptz not null
);
create unique index audit_tally_line
    on audit_tally (minute, action, outcome, reason, node, (coalesce(account, '00000000-0000-0000-0000-000000000000'::uuid)));
