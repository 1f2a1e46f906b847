-- One rule for all families: the refresh token before the newest is good until ten seconds after the answer was sent. `answered_at` is 'infinity' from a rotation
-- until an answer to it is sent; where it is null, the ten seconds from `rotated_at` count alone. Whether a token was seen says nothing more. Room: TokenTree.
alter table family drop column unseen;
