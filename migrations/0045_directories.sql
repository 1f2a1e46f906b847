-- What directories call people and institutions: `externalId` of SCIM (RFC 7643, 3.1), a column of a file. Room: Accounts.
alter table account add column external_id text check (octet_length(external_id) between 1 and 256);
create unique index account_external_id on account (external_id, coalesce(institution, '')) where external_id is not null;

alter table institution add column directory_id text check (octet_length(directory_id) between 1 and 256);
create unique index institution_directory_id on institution (directory_id) where directory_id is not null;
