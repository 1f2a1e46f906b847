import Base
import Foundation
import Keys
import Vocabulary

/// A JSON array of RSD2 documents, as text, and what says whether it has changed.
public struct DiscoveryAnswer: Sendable, Equatable {
    public let text: String
    /// Changes when and only when the text does.
    public let etag: String

    public init(text: String) {
        self.text = text
        etag = "\"\(Base64URL.encode(Digest.sha256(text).prefix(18)))\""
    }

    /// Of the signed form: weak, because time and signature differ between two of the same list, and no validator of
    /// the plain form.
    public var signedETag: String { "W/\"\(etag.dropFirst().dropLast()).jwt\"" }
}

/// The list under the issuer's signature: for whoever passes it on, or keeps it as proof of what the federation said.
public struct SignedDiscovery: Sendable {
    /// Seconds that it is good for.
    public static let lifetime = 300

    let issuer: String
    let keys: SigningKeys
    let clock: WallClock

    public init(issuer: String, keys: SigningKeys, clock: WallClock) {
        (self.issuer, self.keys, self.clock) = (issuer, keys, clock)
    }

    /// `aud` is who asked. No `sub`, so that it cannot pass for a token.
    public func sign(_ answer: DiscoveryAnswer, for audience: String) async throws -> String {
        let now = clock.now().numericDate, services = try JSONReader.read(Array(answer.text.utf8), depth: 64)
        return try await keys.sign(
            type: JWTType.discovery.rawValue,
            claims: [
                "iss": .string(issuer), "aud": .string(audience), "iat": .integer(now),
                "exp": .integer(now + SignedDiscovery.lifetime), "services": services,
            ])
    }
}
