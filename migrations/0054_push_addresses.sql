-- What push services refuse is told with the credentials that they refused, and an address at Apple has one spelling (docs/operations.md, "Operating").
-- Room: Operations.

-- The last refusal and when: of a topic, a project, a key. One from before `created_at` was of the credentials before.
alter table phone_application_push
    add column refused_at timestamptz,
    add column refusal    text check (length(refusal) <= 200),
    add constraint phone_application_push_refusal_has_time check ((refused_at is null) = (refusal is null));

-- Hexadecimal, in small letters from now on. Of an app's registrations that have told one address in two spellings the last has it.
update phone_registration r set push_platform = null, push_token = null, push_environment = null, push_language = null
from (
    select o.id, row_number() over (partition by o.application, lower(o.push_token)
        order by coalesce(o.last_used_at, o.created_at) desc, o.id desc) as place
    from phone_registration o where o.push_platform = 'apns') told
where told.id = r.id and told.place > 1;
update phone_registration set push_token = lower(push_token) where push_platform = 'apns' and push_token <> lower(push_token);

-- A server of the version before stores what it is told. By its name this runs before `phone_registration_push`, which looks for whoever had the address.
create function lower_phone_push_address() returns trigger language plpgsql as $$
begin
    new.push_token := lower(new.push_token);
    return new;
end
$$;
create trigger phone_registration_address before insert or update of push_token on phone_registration for each row
    when (new.push_platform = 'apns' and new.push_token <> lower(new.push_token)) execute function lower_phone_push_address();
