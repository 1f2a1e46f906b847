-- A service may be proposed by the URL of its document alone: where that is, and what was read there then, which is what its proposer and who decides are shown
-- (docs/design/roles.md). Null without a default: only the catalogue is written, so the lock lasts for a moment, and processes of before leave both alone. Room:
-- Federation.
alter table service_proposal add column rsd text, add column document jsonb;
