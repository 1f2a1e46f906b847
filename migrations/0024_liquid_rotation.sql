-- A page's session that a wallet was linked with gets another cookie at its next request (session fixation). `rotates`: it has not yet. Requests that were
-- under way with the cookie before are answered until `old_until`. Room: Liquid.
alter table liquid_session
    add column rotates boolean not null default false,
    add column old_secret bytea check (octet_length(old_secret) = 32),
    add column old_until timestamptz;
