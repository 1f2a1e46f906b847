import Accounts
import Base
import Foundation
import HTTP
import OAuth
import Registration

/// How much this process takes, from whom (docs/operate.md, "Limits").
public struct LimitSettings: Sendable {
    /// Requests a second; `0`: any number.
    let perAddress: Int
    let perClient: Int
    let perAccount: Int
    let exempt: [CIDR]
    /// Grants under way; `0`: any number.
    let grants: Int
    /// `0`: as many as there are descriptors for.
    let connections: Int
    let connectionsPerAddress: Int
    /// Passwords that are hashed at a time.
    let hashes: Int

    init(_ values: SettingValues) throws {
        perAddress = try values.number(.limitAddress, in: 0...1_000_000)
        perClient = try values.number(.limitClient, in: 0...1_000_000)
        perAccount = try values.number(.limitAccount, in: 0...1_000_000)
        grants = try values.number(.limitGrants, in: 0...100_000)
        connections = try values.number(.limitConnections, in: 0...10_000_000)
        connectionsPerAddress = try values.number(.limitAddressConnections, in: 0...10_000_000)
        hashes = try values.number(.limitHashes, in: 1...64)
        let text = values[.limitExempt]
        guard let ranges = CIDR.list(text) else {
            throw Settings.Unacceptable(
                description: "limit-exempt: write CIDRs with commas, e.g. 10.1.0.0/16,fd00::/8, or nothing")
        }
        exempt = ranges
    }

    func requests(_ tally: RefusalTally, clock: WallClock) -> RequestLimits {
        RequestLimits(
            address: AddressLimit(rate: perAddress, exempt: exempt, tally: tally, clock: clock),
            load: LoadLimit(most: grants, tally: tally))
    }

    func clients(_ tally: RefusalTally, clock: WallClock) -> ClientLimits {
        ClientLimits(rate: perClient, exempt: exempt, tally: tally, clock: clock)
    }

    func accounts(_ tally: RefusalTally, clock: WallClock) -> AccountLimit? {
        AccountLimit(rate: perAccount, exempt: exempt, tally: tally, clock: clock)
    }

    /// A proxy that is trusted stands for all whose requests it brings, and so has no limit of its own.
    func connections(_ tally: RefusalTally, proxies: ProxyTrust) -> ConnectionLimit {
        ConnectionLimit(
            most: [connections, LimitSettings.left(of: LimitSettings.descriptors)].filter { $0 > 0 }.min() ?? 0,
            perAddress: connectionsPerAddress,
            exempt: exempt + proxies.ranges, tally: tally, closures: ConnectionClosures())
    }

    /// With fewer descriptors no server starts.
    private static let fewest = 256

    /// Those of `descriptors` that connections may have: the others are PostgreSQL's, the crawler's and files'. Never
    /// all, since libdispatch, which looks at its threads by files, ends a busy process that can open none. 0 for any
    /// number.
    static func left(of descriptors: Int) -> Int { descriptors - min(256, descriptors / 2) }

    /// - Throws: `UnacceptableSetting`.
    static func requireDescriptors() throws {
        guard descriptors > 0, descriptors < fewest else { return }
        throw Settings.Unacceptable(
            description:
                "LimitNOFILE (ulimit -n) is \(descriptors): a server needs \(fewest) descriptors, and one a connection")
    }

    /// 0 where there is no limit.
    private static var descriptors: Int {
        var limit = rlimit()
        // No limit is the largest value of `rlim_t`, which no `Int` holds.
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            let all = Int(exactly: limit.rlim_cur)
        else { return 0 }
        return all
    }
}

extension Setting {
    static let limitAddress = Setting(
        "limit-address",
        "requests a second of one address (of IPv6, its /64), and of twenty seconds at once; 0 for any number",
        default: "200")
    static let limitClient = Setting(
        "limit-client",
        """
        requests a second of one client, those that look at a token or end one apart, and of twenty seconds at once; \
        0 for any number
        """, default: "500")
    static let limitAccount = Setting(
        "limit-account",
        "requests a second with tokens of one person, and of twenty seconds at once; 0 for any number", default: "50")
    static let limitExempt = Setting(
        "limit-exempt", "addresses whose requests and connections are not counted, CIDRs",
        default: "127.0.0.0/8,::1")
    static let limitGrants = Setting(
        "limit-grants", "requests of token endpoints that may be under way; more get 503; 0 for any number",
        default: "512")
    static let limitConnections = Setting(
        "limit-connections", "most connections of this process; 0 for as many as there are descriptors, less 256",
        default: "0")
    static let limitAddressConnections = Setting(
        "limit-address-connections",
        "most connections of one address, trusted proxies apart, and never more than half of all; 0 for any number",
        default: "2000")
    static let limitHashes = Setting(
        "limit-hashes", "passwords that are hashed at a time: each takes a core and 19 MiB meanwhile", default: "2")

    static let ofLimits = [
        limitAddress, limitClient, limitAccount, limitExempt, limitGrants, limitConnections, limitAddressConnections,
        limitHashes,
    ]
}
