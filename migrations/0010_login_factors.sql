-- Logins by more than a password: what an event proved, and logins under way. Room: Accounts.

-- `methods` are `amr` values (RFC 8176): one answer can prove several, e.g. a phone and its PIN.
alter table authentication_event add column methods text[];
update authentication_event set methods = array[method];
alter table authentication_event alter column methods set not null, add constraint authentication_event_methods_check check (cardinality(methods) > 0);

-- Processes of before go on while they are replaced one by one: they write and read `method`. A later migration drops it.
alter table authentication_event alter column method drop not null;
create function authentication_event_methods() returns trigger language plpgsql as $$
begin
    new.methods := coalesce(new.methods, array[new.method]);
    new.method := coalesce(new.method, new.methods[1]);
    return new;
end
$$;
create trigger authentication_event_methods before insert on authentication_event for each row execute function authentication_event_methods();
create index authentication_event_client on authentication_event (client, account);

-- A login under way in one browser. `reference` is the hash of what stands in the URL, `browser` of the browser's cookie. `subject` names what is under way
-- at the room of `method` and never goes to the browser. `account` is who is asked; null: whoever answers. The row goes when the login is complete.
create table login_attempt (
    reference  bytea primary key check (octet_length(reference) = 32),
    method     text not null,
    subject    text not null,
    account    uuid references account on delete cascade,
    browser    bytea not null check (octet_length(browser) = 32),
    goes_on    text not null,
    started_at timestamptz not null,
    expires_at timestamptz not null
);
create index login_attempt_browser on login_attempt (browser, started_at desc);
create index login_attempt_account on login_attempt (account) where account is not null;
create index login_attempt_expires on login_attempt (expires_at);
