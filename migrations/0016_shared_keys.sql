-- Temporary keys of application scope are looked up by who asks: the youngest is given to all within a minute. Room: Operations.
create index phone_temporary_key_application on phone_temporary_key (application_key, expires_at) where registration is null;
