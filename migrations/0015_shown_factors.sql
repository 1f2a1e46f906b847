-- Which second factor an event showed, as the IdP names it: tiqr, operations, passkey, wallet. Null: none, or a process of before wrote it. Room: Accounts.
-- Not valid: what is there has none, so the table is not read through under the lock that keeps everybody out.
alter table authentication_event add column factor text, add constraint authentication_event_factor check (length(factor) between 1 and 64) not valid;
