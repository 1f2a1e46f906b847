/// # Liquid, floor 8
///
/// Owns wallets (Liquid Auth): their ceremonies, sessions, signalling between two linked sides. Does not own the
/// protocols (WebAuthn, SocketIO), rows of passkeys and those of people (Passkeys), people and their logins (Accounts,
/// OAuth), or how pages look (Pages). Contract: design/api.md (liquid), decisions.md (liquid); wire facts:
/// protocols/liquid.md.
///
/// | file | what |
/// |---|---|
/// | `LiquidService` `LiquidRefusal` `LiquidSettings` | the door for wallets: what the routes at the host's root call, what is refused there, how it is set up |
/// | `Conformance/…` | FIDO's conformance calls, in memory, behind a flag |
/// | `LiquidServices` `PasskeyAudit` `LiquidTidying` | what the flows share, their lines in the audit trail, what is deleted when it is long over |
/// | `Ceremonies/CeremonyRateLimit` | how much may begin from one address |
/// | `Ceremonies/RegisterWallet` `LogInWallet` | the two flows of wallets |
/// | `Credentials/WalletPasskey` `WalletStore` | what wallets do with rows of `Passkeys`; addresses |
/// | `Credentials/WalletOperator` | what the command line calls |
/// | `People/LiquidPeople` `OwnCredentials` | whom a token's pseudonym stands for; the passkeys of that person, for apps |
/// | `Administration/…` | `pando admin wallets …`, what is held on people |
/// | `Login/WalletCodeLogin` `WalletCode` | login at the IdP by a code that a wallet scans; what came of one |
/// | `Login/WalletCodeRoutes` `WalletCodeContext` `WalletCodeFactor` | `/login/wallet…`, and the same without a browser; `Pages/WalletConfirmPage` `WalletCodeStrings` |
/// | `Credentials/LinkedWallets` `Login/LinkedWalletPages` | what a person's linked wallets opened, and ending it |
/// | `Pages/…` | how the account page lists that: `OpenedPage`, `WalletStrings` in all languages; `LiquidDemoPage` and its strings |
/// | `Sessions/LiquidSession` `LiquidSessionStore` `SessionCookies` | `connect.sid`: session, wallet, passkey, place in the token tree |
/// | `Pairings/LiquidPairing` `PairingStore` `PairingService` | a page and a wallet that find one another again: credentials, rows, flows |
/// | `Sessions/TokenSessions` | sessions of tokens, which have no cookie and end with them |
/// | `SessionSignals` | what signalling hears of sessions |
/// | `Algorand/AlgorandAddress` `LiquidExtension` `Algod` | addresses, signatures by accounts, rekeyed accounts |
/// | `Algorand/WalletAccount` | kinds of keys and what they sign, Solana's addresses |
/// | `Algorand/SHA512Truncated` `WalletKeys` | the hash of addresses, a wallet for demo and bench |
/// | `Client/…` | what a page loads: `LiquidClientScript` with `LiquidWireScript` (`/services/liquid/client.js`), `LiquidDemoScript` |
/// | `Relaying/…` | `ICEServers`: STUN and TURN for who has a wallet, credentials that end; `RelaySettings` |
/// | `Signalling/SignallingHub` `Hub/…` | the door for sockets: who is there, what they cost, rooms of two sides, relay, presence |
/// | `Signalling/Linking/…` | a page's request and the wallet that answers it; `LoginLinks`: those of logins at the IdP |
/// | `Signalling/Bus/…` | other replicas, and sessions that were revoked |
/// | `HostedLiquid` `LiquidSetting` `LiquidValues` | what the server is given, and of which settings it is made |
/// | `Endpoints/…` | at the host's root: `LiquidRoutes` (attestation, assertion, session, FIDO's conformance calls), `SignallingRoutes` (`/socket.io/`), `LiquidPageRoutes` (script, relays, demo page), `LiquidDocuments` (well-known), `CredentialRoutes` (at the service's base), `PairingRoutes`; `SocketTokens` reads what a CONNECT shows; `LiquidRequestContext` lets in by origin, writes the cookie, and has the form of what goes wrong; what `/openapi.yaml` tells: `LiquidShapes` `LiquidSchemas` `ConformanceSchemas` `LiquidExamples` |
///
/// How it holds together:
/// * A challenge is consumed, in a statement of its own, before its answer is looked at; a ceremony is verified against
///   the passkey as it was read; then one transaction holds the passkey's row, finds the same key there, compares the
///   counter, writes it down and lets in.
/// * A wallet's session hangs below epoch, passkey, itself (`session:liquid:ID`, `key:passkey:ID`). Whether it lives is
///   read from the tree, never written. Whoever is let in or linked holds that lineage, so that who removes a passkey
///   waits and then finds all that hangs below it.
/// * `connect.sid` is `s:ID SECRET.HMAC`: the table has a hash, the tree the id. Nobody has a row before logging in or
///   asking to be linked.
/// * Anybody can be refused as often as they like, so refusals are in the log by the name of the check, and in the
///   audit trail only where a passkey was really there: a counter that went back.
/// * A socket that shows a token is of the token's session (`liquid_session.begun_by`): whether that lives is read from
///   the family's lineage as it is now. Each commit that revokes rings on `pando_changes`; the next beat asks about all
///   sessions of tokens at once, and expiry needs nobody.
/// * A login by a code is a row of `signalling_link` whose linker is no session, made before the code is shown; what is
///   under way is the browser's attempt. It is used up in the transaction of the login, with passkey and session held.
/// * What a socket sends is charged before it is looked at, and parsed outside of the hub's lock. A socket's id names
///   its replica and has a MAC: without a right one no replica writes to another.
///
/// 2026-11-22: SHA-512/256 is ours: swift-crypto has none, and it hashes public addresses only.
/// 2026-11-22: a further passkey of a wallet needs a session that a passkey opened: one that was linked only does not
/// do, as its page saw a request id and no key. 2026-11-22: a passkey that an account is linked with is not the
/// wallet's alone to remove: DELETE /auth/keys is 403 until it is unlinked at the account. 2026-11-22: a wallet whose
/// passkeys are all removed begins anew, by its account's signature. 2026-11-22: what the conformance tool registers is
/// kept in memory and logs in nowhere, so that the flag, set by mistake, opens nothing. 2026-11-22: what names an
/// origin that is not listed is refused before anything is read, at `/socket.io/` too: a WebSocket brings cookies and
/// asks for no preflight. 2026-11-22: `connect.sid` has a `Max-Age`, unlike upstream's: apps keep a session over a
/// restart, for as long as the server does. 2026-11-23: stands on Passkeys, since a wallet's passkey is a passkey of
/// the same table, which an account may be linked with. Without its role it still tells the people of the IdP what
/// their wallets opened; no hub is made for that.
/// 2026-11-27: an app's token lists, names and removes passkeys and registers none. 2026-11-27: signatures of bound
/// types are over a label in clear and SHA-256 of fixed parts, 47 bytes: 32 would be a challenge that a service of
/// somebody else has signed plainly. Plain ones are taken beside until `liquid-bound`, and at logins always.
/// 2026-11-27: no Falcon: no kept library checks it.
/// 2026-11-27: the two sides of a pairing are sessions like others, so links, rooms, ends and the account page are the
/// same; the wallet's is below the page's, which one end of either side's making reaches.
/// 2026-11-27: a code that was used or dropped keeps its row for a while: its id may have been seen, and a wallet that
/// is late would be linked with whoever names it.
