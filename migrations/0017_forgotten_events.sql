-- Events without a session are forgotten after 400 days, by age (`SessionStore.forget`). Room: Accounts.
create index authentication_event_forgotten on authentication_event (at) where session is null;
