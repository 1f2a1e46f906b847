-- Services whose access tokens say what they hang from, so that they check them in their own memory
-- (docs/local-checks.md). Room: Federation.
alter table service add column lineage boolean not null default false;
