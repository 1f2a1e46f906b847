-- Which app the phones of a service identifier use, and how they are shown it (protocols/tiqr.md, 1.4 and 1.5). Room: Tiqr.
-- What is null is as the settings say. `link_base`: where universal links begin that the app owns. `app`: what people
-- call the app, where they may choose it at the account page. `used_at`: since then a phone may know the identifier.

alter table tiqr_identifier
    add column logo          bytea check (octet_length(logo) <= 131072),
    add column logo_type     text check (logo_type in ('image/png', 'image/jpeg')),
    add column info_url      text,
    add column enroll_scheme text,
    add column auth_scheme   text,
    add column link_base     text,
    add column app           text,
    add column is_default    boolean not null default false,
    add column used_at       timestamptz,
    add column retired_at    timestamptz,
    add constraint tiqr_identifier_logo_has_type check ((logo is null) = (logo_type is null)),
    add constraint tiqr_identifier_schemes_are_a_pair check ((enroll_scheme is null) = (auth_scheme is null)),
    add constraint tiqr_identifier_default_is_not_retired check (not is_default or retired_at is null);

-- One at most stands in for the issuer's own where an enrollment or a login names none.
create unique index tiqr_identifier_default on tiqr_identifier (is_default) where is_default;

update tiqr_identifier n set used_at = n.created_at
where exists (select from tiqr_identity i where i.identifier = n.identifier)
    or exists (select from tiqr_enrollment x where x.identifier = n.identifier and x.state <> 'initialized');

-- Apps keep the first name and logo of an identifier that they saw, whatever they are told later.
create function tiqr_identifier_is_frozen() returns trigger language plpgsql as $$
begin
    raise exception 'a service identifier that was used keeps its name and logo'
        using errcode = 'check_violation', constraint = 'tiqr_identifier_is_frozen';
end
$$;
create trigger tiqr_identifier_is_frozen before update of display_name, logo, logo_type, used_at on tiqr_identifier
    for each row
    when (old.used_at is not null and (old.display_name is distinct from new.display_name
        or old.logo is distinct from new.logo or old.logo_type is distinct from new.logo_type or new.used_at is null))
    execute function tiqr_identifier_is_frozen();
