-- What an operation carries beside what every operation has (docs/design/backoffice.md, "Operations"). Room: Operations.

-- `custom_properties`: members of the object that phones read. `offline_uri`: under which phones sign codes of those without a network.
alter table operation_template
    add column custom_properties json,
    add column offline_uri text not null default '/operation/authorize/offline' check (offline_uri ~ '^/[!-~]{0,255}$');

-- `attributes` stand behind those of the template. `proximity_report` is what the phone told of its proximity check; its times are its own.
alter table phone_operation
    add column custom_properties json,
    add column attributes json,
    add column offline_uri text not null default '/operation/authorize/offline' check (offline_uri ~ '^/[!-~]{0,255}$'),
    add column proximity_report json;

-- Without one the application signed the code, so that each phone that may decide the operation reads it.
alter table phone_offline_nonce alter column registration drop not null;
