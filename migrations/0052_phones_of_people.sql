-- What is known of a person's phone (docs/tiqr.md). Room: Tiqr.

-- Primary subtag of the language that the app told last (RFC 5646, 2.2.1); null where it told none that can be read.
alter table tiqr_identity add column language text check (language ~ '^[a-z]{2,3}$');
