-- Services that people propose themselves, until the federation decides. Room: Federation.
create table service_proposal (
    id         text primary key,
    base       text not null,
    name       text not null,
    proposer   uuid not null references account on delete cascade,
    -- What stands at `BASE/.well-known/pando-federation` to show that its proposer controls the service. Anybody reads it there.
    proof      text not null,
    -- [{"claim", "why"}]
    claims     jsonb not null,
    status     text not null check (status in ('proposed', 'proven', 'accepted', 'refused', 'withdrawn')),
    created_at timestamptz not null,
    proven_at  timestamptz,
    -- What a check of the service found when control of it was shown.
    report     jsonb,
    decided_at timestamptz,
    decided_by text,
    reason     text,
    service    text references service on delete set null,
    constraint service_proposal_proof_check check (status not in ('proven', 'accepted') or proven_at is not null),
    constraint service_proposal_decision_check check
        ((decided_at is not null) = (status in ('accepted', 'refused', 'withdrawn')))
);
create index service_proposal_proposer on service_proposal (proposer);
create unique index service_proposal_open on service_proposal (proposer, base) where status in ('proposed', 'proven');
create index service_proposal_base on service_proposal (base) where status in ('proposed', 'proven');
create index service_proposal_created on service_proposal (created_at);
