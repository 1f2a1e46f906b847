-- What operators say anew of clients, services and versions (docs/design/cli.md). Rooms: Registration, Federation.

-- Seconds; null for the server's own. Keys that were replaced are taken beside the new ones until a time that the operator named.
alter table client
    add column access_token_lifetime integer check (access_token_lifetime between 60 and 86400),
    add column refresh_lifetime integer check (refresh_lifetime between 3600 and 34560000),
    add column old_jwks jsonb,
    add column old_jwks_until timestamptz,
    add constraint client_old_jwks_pair_check check ((old_jwks is null) = (old_jwks_until is null));

-- Whom to write to about it; how long access tokens that are issued here for it live at most, in seconds.
alter table service
    add column contact text check (octet_length(contact) between 1 and 1016),
    add column token_lifetime integer check (token_lifetime between 60 and 86400);

alter table app_version add column note text check (octet_length(note) between 1 and 4000);
