import Accounts
import Base
import Foundation
import Synchronization
import Vocabulary

/// How often clients may ask, and be wrong; in the memory of this process, so each replica has its own measure.
///
/// Wrong secrets and assertions are counted by the address that sends them, never by the client whose name they bear:
/// nobody can lock a client out from elsewhere. A neighbour behind the same address cannot either: beyond the limit a
/// secret is compared with what this process remembers of the client, and where that says no, the database is asked
/// once a second for each name, and what it says is remembered. Secrets are 256 bits of ours, so there is nothing to be
/// guessed however often somebody tries; what the limit saves is the database, from the same name again and again.
public final class ClientLimits: Sendable {
    /// Wrong ones of one address: so many at once, then one a second.
    private let wrong = AddressRateLimit("client-authentication", burst: 100, rate: 1)
    /// Names of clients in which somebody was wrong: a look into the database a second.
    private let looks = Mutex(BucketTable<String>())
    private let instances = AddressRateLimit("instances", burst: 400, rate: 2)
    private let exempt: [CIDR]
    private let rate: RequestRate<String>?
    private let tally: RefusalTally?
    private let clock: WallClock

    /// `rate`: requests a second of one client, 0 for any number. `exempt`: addresses whose requests are not counted.
    public init(rate: Int, exempt: [CIDR], tally: RefusalTally?, clock: WallClock) {
        self.rate = RequestRate("client", rate: rate, clock: clock)
        (self.exempt, self.tally, self.clock) = (exempt, tally, clock)
    }

    /// Whether so many from there were wrong that not each is worth a look into the database now. An address that is
    /// not known is that of a proxy on this machine, which stands for all.
    func isSuspect(_ address: String?) -> Bool {
        address != nil && wrong.wait(from: address, at: clock.now()) != nil
    }

    /// One was wrong, by what the database says.
    func wasWrong(_ address: String?, client: String?) {
        _ = client.map { isWorthALook($0) }
        guard address != nil else { return }
        _ = wrong.take(from: address, at: clock.now())
    }

    /// Whether the database may be asked for a client that is wrong by what is remembered, although its address
    /// `isSuspect`: it may be one that was not seen yet, or has another secret by now. `client` as it names itself.
    func isWorthALook(_ client: String?) -> Bool {
        guard let client else { return false }
        return looks.withLock { $0.take(client, burst: 1, rate: 1, at: clock.now()) } == nil
    }

    /// For what is wrong by what is remembered, of an address that `isSuspect`.
    func suspected(_ address: String?, client: String?) -> OAuthError {
        tally?.note(.secret, from: address, client: client)
        let seconds = wrong.wait(from: address, at: clock.now()) ?? 1
        return OAuthError.exceeded(
            wrong.exceeded(seconds),
            "too many wrong client credentials came from your address; try again in \(seconds) seconds"
        ).asked(by: client).tallied
    }

    /// A request of a client that has authenticated.
    func take(_ client: String, from address: String?) throws {
        guard let rate, exempt.unlisted(address) != nil, let limit = rate.take(client) else { return }
        tally?.note(.client, from: address, client: OAuthError.logged(client))
        throw OAuthError.exceeded(
            limit, "this client asked too often; try again in \(limit.reset) seconds"
        ).asked(by: client).tallied
    }

    /// An instance of an app that wants to be registered, or moved to another version: the key of a version is in
    /// everybody's hands who has the app.
    public func takeInstance(from address: String?) throws {
        guard exempt.unlisted(address) != nil, let seconds = instances.take(from: address, at: clock.now())
        else { return }
        throw OAuthError.exceeded(
            instances.exceeded(seconds),
            "too many instances were registered from your address; try again in \(seconds) seconds")
    }
}
