-- What an operator says of a person in the words of eduPerson and SCHAC, and their groups: {"NAME": ["VALUE", …]}, by the names of
-- claims. Room: Accounts (PersonAttribute).
alter table account add column attributes jsonb not null default '{}'::jsonb check (jsonb_typeof(attributes) = 'object');
