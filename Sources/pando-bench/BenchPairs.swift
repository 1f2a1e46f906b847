import AsyncHTTPClient
import Base
import Foundation
import Simulators

/// Pages and wallets that belong together, made over HTTP as the demo does, each from an address of its own. A line for
/// each: the page's cookie, the wallet's, and the request that they share.
enum BenchPairs {
    static func list(of count: Int, at address: String, in folder: URL) async throws -> URL {
        let made = try await DemoWire.open { wire in
            try await BenchCrew.make(count, within: .seconds(240)) { number in
                try await pair(address, wire, by: "10.0.\(number / 250 % 250).\(number % 250 + 1)")
            }
        }
        guard made.count == count else { throw BenchFailure.notServing }
        let file = folder.appendingPathComponent("pairs.txt")
        try Data(made.joined(separator: "\n").utf8).write(to: file)
        return file
    }

    /// The wallet comes first; the page, which links within five minutes, is answered at once (design/decisions.md,
    /// liquid 11).
    private static func pair(_ address: String, _ wire: DemoWire, by origin: String) async throws -> String {
        func from(_ asked: DemoRequest) -> DemoRequest {
            var sent = asked
            sent.headers.append((name: "X-Forwarded-For", value: origin))
            return sent
        }
        let request = UUID().uuidString.lowercased(),
            page = try await wire.send(DemoRequest(method: "GET", url: address + "/auth/session")).good()
        var wallet = DemoWallet(host: address)
        let options = try await wire.send(from(wallet.askToRegister())).good()
        wallet.remember(options)
        guard let answer = try wallet.register(options.body, requestID: request) else {
            throw BenchFailure.refused(status: options.status, options.plain)
        }
        let registered = try await wire.send(from(answer))
        guard registered.isGood else { throw BenchFailure.refused(status: registered.status, registered.plain) }
        wallet.remember(registered)
        guard let ours = page.cookie("connect.sid"), let theirs = wallet.cookie else { throw BenchFailure.notServing }
        return "\(ours) \(theirs) \(request)"
    }
}
