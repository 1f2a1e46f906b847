-- Logout tokens by receiver, so that what waits for one address holds up no other. The start of an address is enough,
-- and is no more than an index takes. Room: OAuth.
create index logout_delivery_receiver on logout_delivery (left(uri, 256), next_try);
drop index logout_delivery_due;
