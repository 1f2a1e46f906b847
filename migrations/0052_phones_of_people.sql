-- What is known of a person's phone (docs/tiqr.md), and a better way that they are offered. Rooms: Tiqr, OAuth.

-- Primary subtag of the language that the app told last (RFC 5646, 2.2.1); null where it told none that can be read.
alter table tiqr_identity add column language text check (language ~ '^[a-z]{2,3}$');

-- The number that a push brought and the browser is to be told (docs/design/number-matching.md): asked once.
alter table tiqr_authentication
    add column number text check (number ~ '^[0-9]{2}$'),
    add column number_state text check (number_state in ('due', 'told', 'wrong')),
    add constraint tiqr_authentication_number_pair_check check ((number is null) = (number_state is null));

-- What somebody was offered on their account page and does not want, in a word each: it is not offered again.
alter table account add column offers_declined text[] not null default '{}';
