-- Whether the answer of a rotation has arrived. `unseen` is the newest token of the family as long as nobody has shown it; `answered_at` is when the answer that
-- brought it was first sent, for families that are shown without a key or secret. What an older version rotates leaves `unseen` at another token: then the ten
-- seconds from `rotated_at` count alone, as they did. Room: TokenTree.
alter table family add column unseen uuid, add column answered_at timestamptz;
