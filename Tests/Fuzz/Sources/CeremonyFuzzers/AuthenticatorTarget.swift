import Base
import Harness
import Keys

@testable import Liquid
@testable import WebAuthn

/// `AuthenticatorData` and the COSE key in it: what was read is the whole of the bytes, and a key verifies nothing that
/// it did not sign.
enum AuthenticatorTarget {
    static let target = Target("authdata", run: run)
    private static let head = 37

    private static func run(_ input: [UInt8]) {
        // Alone as well, since a key inside needs 55 bytes before it that are right.
        key(input)
        let data: AuthenticatorData
        do throws(WebAuthnRefusal) {
            data = try AuthenticatorData(input)
        } catch {
            return require(!error.explain.isEmpty && !error.section.isEmpty, "a refusal says what and where")
        }
        require(
            data.bytes == input && data.rpIDHash == Array(input[..<32]) && data.flags.rawValue == input[32],
            "what is kept is what was sent")
        require(
            input[33..<head].elementsEqual(
                [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: data.counter >> UInt32($0)) }),
            "a counter has four bytes")
        require(
            (data.attested != nil) == (input[32] & 0x40 != 0) && (data.extensions != nil) == (input[32] & 0x80 != 0),
            "flags announce what is there")
        require((try? AuthenticatorData(input + [0])) == nil, "nothing may follow")
        require((try? AuthenticatorData(Array(input.dropLast()))) == nil, "nothing may be missing")
        parts(data, input)
        policies(data, input)
    }

    private static func parts(_ data: AuthenticatorData, _ input: [UInt8]) {
        var place = head
        if let attested = data.attested {
            require(
                (1...1023).contains(attested.id.count) && attested.model.count == 16,
                "an id and a model have their lengths")
            let whole =
                attested.model + [UInt8(attested.id.count >> 8), UInt8(attested.id.count & 0xFF)] + attested.id
                + attested.keyBytes
            require(input[place...].starts(with: whole), "attested is what stands there")
            require(
                certain("its key is CBOR", { try CBORReader.read(attested.keyBytes) }) == attested.key,
                "a key is its bytes")
            key(attested.keyBytes)
            place += whole.count
        }
        guard let extensions = data.extensions else {
            return require(place == input.count, "it ends where its parts end")
        }
        require(
            certain("extensions are CBOR", { try CBORReader.read(Array(input[place...])) }) == CBOR.map(extensions),
            "the rest is the extensions")
    }

    private static func key(_ bytes: [UInt8]) {
        guard let key = try? COSEKey(bytes) else { return }
        require(key.bytes == bytes && key.numbers.isSound && key.algorithm != .rs1, "a sound key, as it was written")
        let labels = certain("a key is CBOR", { try CBORReader.read(bytes) }).map ?? [:]
        require(labels[.integer(3)] == CBOR.integer(key.algorithm.rawValue), "of the algorithm that it says")
        require(labels.count == (key.isElliptic ? 5 : 4), "with the parameters of its kind")
        for signature in [
            [], [0x30, 0x06, 0x02, 0x01, 0x00, 0x02, 0x01, 0x00], [UInt8](repeating: 0, count: 64), bytes,
        ] {
            require(!key.verifies(signature, of: Array("nobody signed this".utf8)), "nothing is signed by nobody")
        }
    }

    /// R9 to R12: by the bits alone.
    private static func policies(_ data: AuthenticatorData, _ input: [UInt8]) {
        let bits = input[32]
        for needsUser in [false, true] {
            let party = RelyingParty(
                id: "localhost", name: "", origins: [], userVerification: needsUser ? .required : .preferred)
            let isGood =
                input[..<32].elementsEqual(Digest.sha256("localhost")) && bits & 0x01 != 0
                && (bits & 0x04 != 0 || !needsUser) && bits & 0x18 != 0x10
            require(((try? data.check(party)) != nil) == isGood, "presence, verification and backup are their bits")
        }
    }
}

extension COSEKey {
    fileprivate var isElliptic: Bool { if case .elliptic = numbers { true } else { false } }
}
