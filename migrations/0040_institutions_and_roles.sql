-- What people, services, apps and clients belong to, and who may administer what. Rooms: Accounts, Registration, Federation.
create table institution (
    id         text primary key check (id ~ '^[a-z0-9][a-z0-9.-]{0,63}$'),
    name       text not null,
    -- Host names that are its own: of its people's addresses, its identity provider, its services.
    domains    text[] not null default '{}',
    created_at timestamptz not null
);

alter table account add column institution text references institution;
alter table app add column institution text references institution;
alter table client add column institution text references institution;
alter table service add column institution text references institution;
create index account_institution on account (institution, created_at, id) where institution is not null;
create index app_institution on app (institution) where institution is not null;
create index client_institution on client (institution) where institution is not null;
create index service_institution on service (institution) where institution is not null;

-- `institution` is that of an institution administrator, `service` that of a service owner; the other roles hold for all
-- of the federation.
create table role_grant (
    account     uuid not null references account on delete cascade,
    role        text not null check (role in ('administrator', 'auditor', 'institution-administrator', 'service-owner')),
    institution text references institution on delete cascade,
    service     text references service on delete cascade,
    granted_at  timestamptz not null,
    granted_by  text not null,
    constraint role_grant_scope_check check (
        (institution is not null) = (role = 'institution-administrator')
        and (service is not null) = (role = 'service-owner'))
);
create unique index role_grant_once on role_grant
    (account, role, coalesce(institution, ''), coalesce(service, ''));
create index role_grant_institution on role_grant (institution) where institution is not null;
create index role_grant_service on role_grant (service) where service is not null;
