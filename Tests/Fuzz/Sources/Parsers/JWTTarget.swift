import Base
import Foundation
import Harness

@testable import Keys

/// `CompactJWS` and `JWT`: one spelling each, and no token but the one that a key has signed verifies under it.
enum JWTTarget {
    static let target = Target("jwt", mutate: mutate, run: run)

    private static func run(_ input: [UInt8]) {
        // What is no UTF-8 becomes replacement characters, which no part may hold.
        let text = String(decoding: input, as: UTF8.self)
        let jws: CompactJWS
        do {
            jws = try CompactJWS(text)
        } catch {
            require(!error.description.isEmpty, "a refusal says why")
            return require((try? JWT(text)) == nil, "no JWT without a JWS")
        }
        taken(jws, input)
        verified(jws, input)
        guard let jwt = try? JWT(text) else { return }
        asked(jwt)
    }

    private static func taken(_ jws: CompactJWS, _ input: [UInt8]) {
        require(jws.compact.utf8.elementsEqual(input), "the token is the input, byte for byte")
        require(input.count <= CompactJWS.limit, "a token is not longer than the limit")
        let parts = jws.compact.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        require(parts.count == 3, "three parts")
        guard let head = Base64URL.decode(parts[0]) else { violated("the header is base64url") }
        require(
            Base64URL.encode(head) == parts[0] && Base64URL.encode(jws.payload) == parts[1]
                && Base64URL.encode(jws.signature) == parts[2],
            "each part has one spelling")
        require(
            jws.signingInput.elementsEqual("\(parts[0]).\(parts[1])".utf8), "signed is what stands before the last dot")
        require((try? JSONReader.read(head))?.object == jws.header, "the header is its JSON")
        require(
            jws.header["alg"]?.string == jws.algorithm && !jws.algorithm.isEmpty
                && jws.algorithm.lowercased() != "none", "alg is stated, and not none")
        require(jws.header["crit"] == nil, "no extension is understood")
        require(head.count <= CompactJWS.headerLimit && !jws.signature.isEmpty, "a short header and a signature")
    }

    private static func verified(_ jws: CompactJWS, _ input: [UInt8]) {
        for known in KnownToken.all {
            let isKnown =
                input.elementsEqual(known.compact.utf8) || known.twin.map { input.elementsEqual($0.utf8) } ?? false
            require(
                jws.isSigned(by: known.key) == isKnown, "a key verifies the one token that it has signed, and no other")
        }
    }

    private static func asked(_ jwt: JWT) {
        require((try? JSONReader.read(jwt.jws.payload))?.object == jwt.claims, "the claims are the payload")
        if let type = jwt.type { require(type == type.lowercased(), "a type is in lower case") }
        let range = 0.0...253_402_300_799.0
        for (name, value) in jwt.claims {
            let date = jwt.date(name)
            require(date == nil || value.string == nil, "a date is a number")
            require(date.map { range.contains($0.timeIntervalSince1970) } ?? true, "a date is from 1970 to 9999")
            // The claim of another name would be a second spelling of a token.
            require(value.string == jwt.string(name), "a claim is what its name says")
        }
        require(
            jwt.audiences.isEmpty || jwt["aud"]?.string != nil || jwt["aud"]?.strings?.count == jwt.audiences.count,
            "audiences are those of aud")
    }

    /// Changes what is inside a part, three times of four: flipped letters of base64 seldom leave JSON behind.
    private static func mutate(_ input: [UInt8], _ limit: Int, _ seed: UInt32) -> [UInt8]? {
        var parts = input.split(separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false).map {
            Array($0)
        }
        let index = Int(seed % 4)
        guard index < parts.count, let inside = Base64URL.decode(String(decoding: parts[index], as: UTF8.self)) else {
            return nil
        }
        parts[index] = Array(Base64URL.encode(Driver.mutated(inside, limit: inside.count + 64)).utf8)
        let output = Array(parts.joined(separator: [UInt8(ascii: ".")]))
        return output.count <= limit ? output : nil
    }
}
