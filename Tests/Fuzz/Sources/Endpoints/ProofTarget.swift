import Base
import Crypto
import Foundation
import Harness
import Keys
import Registration
import Vocabulary

/// DPoP proofs (RFC 9449, 4.3). An input is header and claims, a line each, which the target signs: so everything
/// behind the signature is reached. A third line asks for a proof that is bound to an access token. What begins with
/// `ey` is taken as a finished proof.
enum ProofTarget {
    static let target = Target("dpop", run: run)

    static let url = "https://id.example.org/token", method = "POST", accessToken = "an access token"
    private static let proofs = ProofOfPossession(oneTime: ClosedServer.oneTime, clock: ClosedServer.time.clock)
    private static let signer = certain("32 bytes are a key") {
        try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 7, count: 32))
    }
    private static let point = Base64URL.encode(signer.publicKey.rawRepresentation)

    private static func run(_ input: [UInt8]) {
        let lines = input.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false).map {
            Array($0)
        }
        guard !input.starts(with: "ey".utf8), lines.count > 1 else {
            return finished(String(decoding: input, as: UTF8.self))
        }
        let head = Base64URL.encode(lines[0]), claims = Base64URL.encode(lines[1]), isBound = lines.count > 2
        guard let signature = try? signer.signature(for: Data("\(head).\(claims)".utf8)) else {
            violated("Ed25519 signs everything")
        }
        let isGood = show("\(head).\(claims).\(Base64URL.encode(signature))", isBound: isBound)
        let expected = ProofJudge(
            header: lines[0], claims: lines[1], point: point, isBound: isBound, now: ClosedServer.time.now
        ).isGood
        require(
            isGood == expected,
            expected ? "a good proof is taken" : "a proof is refused for any one thing that is wrong with it")
    }

    /// Nobody but the target has the key, and it signs no finished proofs.
    private static func finished(_ proof: String) {
        _ = show(proof, isBound: false)
    }

    /// Whether every check passed, so that the database was asked for the one use.
    private static func show(_ proof: String, isBound: Bool) -> Bool {
        let request = PresentedRequest(method: method, url: url, authorization: nil, proofs: [proof], origin: nil)
        switch ClosedServer.turner.run({
            try await proofs.dpop(request, accessToken: isBound ? accessToken : nil) != nil
        }) {
        case .success: violated("without a database nothing is known to be used once")
        case .failure(let error as OAuthError):
            require(error.code == .invalidProof && !error.description.isEmpty, "a refusal is one of a proof: \(error)")
            return false
        case .failure(let error):
            require(ClosedServer.isDatabase(error), "nothing else goes wrong: \(error)")
            return true
        }
    }
}

/// RFC 9449, 4.3, once more and by other means: what a good proof is.
private struct ProofJudge {
    let header: [UInt8]
    let claims: [UInt8]
    let point: String
    let isBound: Bool
    let now: Date

    var isGood: Bool {
        guard let header = (try? JSONReader.read(header))?.object, let claims = (try? JSONReader.read(claims))?.object,
            self.header.count <= CompactJWS.headerLimit
        else { return false }
        let type = header["typ"]?.string?.lowercased(), algorithm = header["alg"]?.string
        guard type == "dpop+jwt" || type == "application/dpop+jwt", header["crit"] == nil,
            header["b64"] == nil || header["b64"] == true
        else { return false }
        if let kid = header["kid"] { guard kid.string?.isEmpty == false else { return false } }
        guard let jwk = header["jwk"]?.object, isOurs(jwk), ["EdDSA", "Ed25519"].contains(algorithm) else {
            return false
        }
        guard claims["htm"] == .string(ProofTarget.method), claims["htu"]?.string.map(isHere) == true else {
            return false
        }
        guard let made = number(claims["iat"]),
            abs(min(max(made, 0), 253_402_300_799) - now.timeIntervalSince1970) <= 60
        else { return false }
        guard !isBound || claims["ath"] == .string(Base64URL.encode(Digest.sha256(ProofTarget.accessToken))) else {
            return false
        }
        return claims["jti"]?.string.map { (1...256).contains($0.utf8.count) } == true
    }

    private func isOurs(_ jwk: JSONObject) -> Bool {
        guard jwk["kty"] == "OKP", jwk["crv"] == "Ed25519", jwk["x"] == .string(point) else { return false }
        guard ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].allSatisfy({ jwk[$0] == nil }) else { return false }
        guard jwk["use"] == nil || jwk["use"] == "sig",
            jwk["alg"] == nil || jwk["alg"] == "EdDSA" || jwk["alg"] == "Ed25519"
        else { return false }
        if let operations = jwk["key_ops"] {
            guard operations.strings?.contains("verify") == true else { return false }
        }
        guard let kid = jwk["kid"] else { return true }
        return kid.string.map { (1...256).contains($0.utf8.count) } == true
    }

    private func isHere(_ htu: String) -> Bool { WebAddress(htu)?.withoutQuery == ProofTarget.url }

    private func number(_ value: JSONValue?) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}
