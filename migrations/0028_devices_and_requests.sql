-- Web logins count as use of a service: who logs a person in is found by its client. And when a service last asked to be
-- crawled. Rooms: Federation, Crawler.
create index service_client on service (client);

-- A service asks once a minute at most. A crawl that began before it asked does not answer it.
alter table service_document add column asked_at timestamptz;
