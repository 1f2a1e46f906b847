-- PowerAuth 4 beside 3.3, chosen per application (docs/operations.md, "PowerAuth 4"). Room: Operations.

-- What an application's phones may speak, and which algorithms they may agree with; none is offered without protocol 4.0.
alter table phone_application
    add column protocols  text[] not null default '{3.3}',
    add column algorithms text[] not null default '{}',
    add constraint phone_application_protocols_check check (protocols <@ '{3.3,4.0}' and cardinality(protocols) between 1 and 2),
    add constraint phone_application_algorithms_check check (algorithms <@ '{EC_P384,EC_P384_ML_L3,EC_P384_ML_L5}'),
    add constraint phone_application_choice_check check (('4.0' = any (protocols)) = (algorithms <> '{}'));

-- What an application signs with in protocol 4, made when that is switched on and kept when it is switched off, since the public halves are compiled into
-- apps. `ecdsa` is a point of P-384, the others are SubjectPublicKeyInfo; `private` has all three, sealed in one.
create table phone_application_key (
    application text primary key references phone_application on delete cascade,
    ecdsa       bytea not null check (octet_length(ecdsa) = 97),
    mldsa65     bytea not null,
    mldsa87     bytea not null,
    private     bytea not null,
    sealed_by   text not null,
    created_at  timestamptz not null
);

-- `protocol` 4.0: device_key, server_public and server_private are on P-384, ctr_data has 32 bytes, `algorithm` names the suite. `secrets`: what was agreed
-- upon and the factors' keys since, sealed in one. `confirmed_at`: when the phone confirmed it; until then it does nothing else. `upgrade`: all that an
-- upgrade from 3.3 has exchanged, sealed, until the phone confirms it.
alter table phone_registration
    drop constraint phone_registration_ctr_data_check,
    drop constraint phone_registration_device_key_check,
    drop constraint phone_registration_server_public_check,
    add column device_mldsa      bytea,
    add column server_mldsa      bytea,
    add column secrets           bytea,
    add column secrets_sealed_by text,
    add column is_biometric      boolean not null default false,
    add column confirmed_at      timestamptz,
    add column upgrade           bytea,
    add column upgrade_sealed_by text,
    add constraint phone_registration_protocol_check check (protocol in ('3.3', '4.0')),
    add constraint phone_registration_algorithm_check check (
        (protocol = '3.3' and algorithm = 'P256') or (protocol = '4.0' and algorithm in ('EC_P384', 'EC_P384_ML_L3', 'EC_P384_ML_L5'))),
    add constraint phone_registration_keys_check check (device_key is null or (
        (protocol = '3.3' and octet_length(device_key) in (33, 65) and octet_length(server_public) = 65 and octet_length(ctr_data) = 16)
        or (protocol = '4.0' and octet_length(device_key) = 97 and octet_length(server_public) = 97 and octet_length(ctr_data) = 32))),
    add constraint phone_registration_secrets_check check (
        (secrets is null) = (secrets_sealed_by is null) and (secrets is not null) = (protocol = '4.0' and device_key is not null)),
    add constraint phone_registration_mldsa_check check (
        (device_mldsa is null) = (server_mldsa is null) and (device_mldsa is not null) = (secrets is not null and algorithm <> 'EC_P384')),
    add constraint phone_registration_upgrade_check check (
        (upgrade is null) = (upgrade_sealed_by is null) and (upgrade is null or protocol = '3.3'));

-- Of protocol 4 `private` is the secret that was agreed upon when the key was given.
alter table phone_temporary_key
    add column protocol text not null default '3.3' check (protocol in ('3.3', '4.0'));
