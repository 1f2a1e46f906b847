-- What an invitation hangs from: the epoch of its time. Those of before hang from nothing, and end by their time. Room: Registration.
alter table invitation add column lineage uuid[] not null default '{}';
