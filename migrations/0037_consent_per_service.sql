-- Room: OAuth. A consent holds for the services that it named: ids of those at which the client may act for the person (RFC 8707). What was
-- agreed to before named none, so a client that asks for one asks again.
alter table consent add column services text[] not null default '{}';
