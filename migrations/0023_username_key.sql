-- What user names are compared by, made in one place (Accounts, `Username`). Room: Accounts.

-- Null for accounts that processes of before make while they are replaced one by one, and for names of before whose key another has: those are found by
-- `lower(username)`, as they always were. Each start of a new process fills in what it can. `account_username` stays for the processes of before; a later
-- migration drops it.
alter table account add column username_key text;
create unique index account_username_key on account (username_key);
create index account_username_unkeyed on account (created_at, id) where username_key is null;

-- ASCII folds in one way everywhere. All other names wait for the first start.
update account set username_key = translate(username, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') where username ~ '^[!-~]+$';
