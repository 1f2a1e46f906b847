import Foundation
import PandoClient
import Vocabulary

/// What the checks work with.
struct CheckContext: Sendable {
    /// The service's base URL, without a slash at its end.
    let base: String
    let tokenEndpoint: String
    let document: ServiceDocument?
    let transport: Transport
    let source: (any AssertionSource)?
    /// Whose name forgeries carry; `nil` where nobody said it.
    let issuer: String?
    /// The third-party app for which tokens are asked.
    let bundle: String
    /// An origin from which web applications come; `nil` where nobody said one.
    let origin: String?
    /// How long after its revocation a token may live.
    let patience: Duration
    let now: @Sendable () -> Date

    /// A document may name thousands, and each is asked for again and again.
    private static let mostProtocols = 8

    /// Protocols of the document that tokens may be for, and where they are: the first of them.
    var protocols: [ServiceAPI] {
        let all = document?.apis.lazy.filter {
            $0.name != ProtocolName.oauth && !$0.name.hasPrefix(ProtocolName.oauth + ".")
        }
        return all.map { Array($0.prefix(CheckContext.mostProtocols)) } ?? []
    }

    /// Whether the service can be called instead of hearing events.
    var isCalled: Bool { document?.api(named: ProtocolName.oauth + ".revoke") != nil }

    static func redemption(_ assertion: String, at endpoint: String) -> Transport.Request {
        .form(
            endpoint,
            [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion)])
    }

    /// The answer to an assertion that comes without a proof.
    func shown(_ assertion: String) async throws -> Transport.Response {
        try await transport.send(CheckContext.redemption(assertion, at: tokenEndpoint))
    }

    /// The answer to an assertion with a proof by the key of `holder`.
    func redeem(_ assertion: String, by holder: KeyHolder) async throws -> Transport.Response {
        try await holder.send(CheckContext.redemption(assertion, at: tokenEndpoint))
    }
}
