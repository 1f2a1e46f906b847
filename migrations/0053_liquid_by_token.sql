-- What the tokens of the federated chain open at liquid: passkeys of a person, and sockets (docs/liquid.md, "By token"). Room: Liquid.

-- Whom a pseudonym of this service stands for. It can be made of the account and not read back, so it is written down when it first comes.
create table liquid_person (
    subject    text primary key check (length(subject) between 1 and 100),
    account    uuid not null references account on delete cascade,
    created_at timestamptz not null
);
create index liquid_person_account on liquid_person (account);

-- `begun_by`: the family of the token that a session stands for, whose lineage may move (an upgrade); `lineage` has what it hung from then. Such a one has no
-- cookie, and ends with the token, at `token_until` at the latest: use prolongs it no further.
alter table liquid_session
    add column begun_by uuid,
    add column token_until timestamptz,
    add constraint liquid_session_token check ((begun_by is null) = (token_until is null));
create index liquid_session_begun_by on liquid_session (begun_by) where begun_by is not null;

-- Accounts of Solana too: base58 of the key.
alter table liquid_wallet
    drop constraint liquid_wallet_address_check,
    add constraint liquid_wallet_address_check
        check (address ~ '^[A-Z2-7]{58}$' or address ~ '^[1-9A-HJ-NP-Za-km-z]{32,44}$');

-- Pairings that last: a page (`provider`) and a wallet (`controller`), each with a credential of its own (its hash stands here) and a session without a
-- cookie below the passkey that approved; the wallet's is below the page's too, so ending that ends both. Until a wallet has approved there is no controller.
create table liquid_pairing (
    id                text primary key check (length(id) = 36),
    provider          text not null unique references liquid_session on delete cascade,
    provider_secret   bytea not null check (octet_length(provider_secret) = 32),
    controller        text unique references liquid_session on delete cascade,
    controller_secret bytea check (octet_length(controller_secret) = 32),
    wallet            text references liquid_wallet on delete cascade,
    credential        bytea,
    created_at        timestamptz not null,
    approved_at       timestamptz,
    expires_at        timestamptz not null,
    check (provider <> controller),
    check ((controller is null) = (controller_secret is null) and (controller is null) = (wallet is null)
        and (controller is null) = (credential is null) and (controller is null) = (approved_at is null))
);
create index liquid_pairing_wallet on liquid_pairing (wallet) where wallet is not null;
