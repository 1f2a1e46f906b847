-- Origins of pages that may call this server from a browser: a preflight names an origin and no client (Fetch, 3.2.2),
-- so who registered it is looked up by the origin. Room: Registration.
create index client_web_origin on client using gin ((metadata -> 'web_origins')) where metadata ? 'web_origins';
