-- A level that a request wishes for and does not insist on (`acr_values`) was passed over by its person. Null without a default: only the catalogue is written, so the
-- lock lasts for a moment; processes of before leave it alone and ask once more. Room: OAuth.
alter table authorization_request add column level_waived_at timestamptz;
