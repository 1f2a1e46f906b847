import Base
import Foundation
import Harness
import Registration
import Vocabulary

@testable import Liquid

/// What a CONNECT shows, from anybody: a token with its proof, a side of a pairing.
enum ShownTarget {
    static let target = Target("shown", run: run)

    private static let handshake = PresentedRequest(
        method: "POST", url: "https://other.example/", authorization: "Bearer of.the.handshake",
        proofs: ["of the handshake"], origin: "192.0.2.1")
    private static let url = "https://idp.example/socket.io/"

    private static func run(_ input: [UInt8]) {
        guard let members = (try? JSONReader.read(input))?.object else { return }
        token(members)
        pairing(members)
    }

    // MARK: Tokens

    private static func token(_ members: JSONObject) {
        let shown: PresentedRequest
        do {
            shown = try SocketToken(members).request(as: handshake, url: url)
        } catch let refusal as OAuthError {
            require([.invalidToken, .invalidProof].contains(refusal.code) && refusal.status == 401, "a refusal is 401")
            require(!isTaken(members), "what is a token is taken")
            return
        } catch {
            violated("a refusal is one of OAuth: \(error)")
        }
        require(isTaken(members), "what is taken is a token")
        require(
            shown.method == "GET" && shown.url == url && shown.origin == handshake.origin,
            "a proof is for the handshake, and who asks stays")
        guard let credentials = shown.credentials, let sent = members["access_token"]?.string else {
            violated("a token is shown")
        }
        require(isSpelledAlike(credentials.value, sent), "to the letter")
        require(credentials.scheme == scheme(members), "by the scheme that was said, or that its proof says")
        require(shown.authorization?.utf8.filter { $0 == UInt8(ascii: " ") }.count == 1, "nothing stands beside it")
        let proofs = [members["dpop"]?.string].compactMap { $0 }
        require(
            shown.proofs.count == proofs.count && zip(shown.proofs, proofs).allSatisfy { isSpelledAlike($0, $1) },
            "the proof is its own, and none of the handshake's")
    }

    /// A second reading of docs/liquid.md, "By token".
    private static func isTaken(_ members: JSONObject) -> Bool {
        guard let token = members["access_token"]?.string, (1...8_192).contains(token.utf8.count),
            !token.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F })
        else { return false }
        if let proof = members["dpop"], proof != .null, proof.string == nil { return false }
        if let type = members["token_type"], type != .null, type.string == nil { return false }
        return ["bearer", "dpop"].contains(scheme(members))
    }

    private static func scheme(_ members: JSONObject) -> String {
        members["token_type"]?.string?.lowercased() ?? (members["dpop"]?.string == nil ? "bearer" : "dpop")
    }

    // MARK: Pairings

    private static func pairing(_ members: JSONObject) {
        guard let shown = PairingCredential(members) else { return }
        guard let id = members["pairingId"]?.string, let role = members["role"]?.string,
            let credential = members["credential"]?.string
        else { violated("a pairing has an id, a role and a credential") }
        require(members["version"] == .integer(2), "of the version that is spoken here")
        require(isSpelledAlike(shown.id, id) && UUID(uuidString: id) != nil && id.utf8.count == 36, "its id is a UUID")
        require(isSpelledAlike(shown.role.rawValue, role), "a role is one of two, to the letter")
        require((1...200).contains(credential.utf8.count), "a credential is short")
        require(shown.hash.count == 32 && shown.hash == LiquidPairing.hash(credential), "and is known by its hash")
        require(shown.hash != LiquidPairing.hash(credential + "x"), "which no other has")
        var other = members
        for name in ["version", "pairingId", "role", "credential"] {
            other[name] = Optional.none
            require(PairingCredential(other) == nil, "without \(name) it is none")
            other[name] = members[name]
        }
    }
}
