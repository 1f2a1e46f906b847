-- When a person was told that an app of theirs, which they do not use, is about to be disconnected (docs/operate.md, "What leaves each table"). Null without a
-- default: only the catalogue is written, so the lock lasts for a moment, and processes of before leave it alone. Room: Registration.
alter table app_instance add column told_at timestamptz;
