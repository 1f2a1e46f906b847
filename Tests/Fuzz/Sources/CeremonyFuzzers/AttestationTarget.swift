import Base
import Foundation
import Harness

@testable import Liquid
@testable import WebAuthn

/// A whole registration (WebAuthn, 7.1), as a browser sends it, for whatever challenge, origin and relying party it
/// says: what remains is whether the parts agree.
enum AttestationTarget {
    static let target = Target("attestation", mutate: mutate, run: run)

    private static let turner = Turner()
    private static let moment = Date(timeIntervalSince1970: 1_738_000_000)
    /// Of the seeds and of published vectors, found again by their hash.
    private static let parties = [
        "localhost", "example.org", "idp.example.org", "dev.dontneeda.pw", "webauthn.io",
        "catfish-pro-wolf.ngrok-free.app",
    ]

    private static func run(_ input: [UInt8]) {
        guard let json = try? JSONReader.read(input) else { return }
        guard let made = register(json) else { return }
        taken(made, json)
        guard let again = register(json) else { violated("what was taken once is taken again") }
        require(again == made, "and is the same")
        signed(made, json)
    }

    /// `nil` when it was refused, which is with one of our words.
    private static func register(_ json: JSONValue) -> NewCredential? {
        guard let party = party(of: json),
            let challenge = clientData(json)?["challenge"]?.string.flatMap({ Base64URL.decode($0) })
        else {
            return register(
                json, RelyingParty(id: "localhost", name: "", origins: ["http://localhost"]), challenge: [0])
        }
        return register(json, party, challenge: challenge)
    }

    private static func register(_ json: JSONValue, _ party: RelyingParty, challenge: [UInt8]) -> NewCredential? {
        switch turner.run({
            try await RegistrationCeremony.verify(json, challenge: challenge, party: party, at: moment)
        }) {
        case .success(let made):
            require(!challenge.isEmpty, "an empty challenge was never issued")
            return made
        case .failure(let error):
            require(error is WebAuthnRefusal, "a refusal is one of ours: \(error)")
            return nil
        }
    }

    private static func party(of json: JSONValue) -> RelyingParty? {
        guard let origin = clientData(json)?["origin"]?.string, let bytes = part("attestationObject", of: json),
            let object = try? AttestationObject(bytes)
        else { return nil }
        let id = parties.first { Digest.sha256($0) == object.data.rpIDHash } ?? "localhost"
        return RelyingParty(
            id: id, name: "", origins: [origin], userVerification: .preferred,
            algorithms: [.edDSA, .es256, .es384, .es512, .rs256],
            attestation: AttestationPolicy(admitsSHA1: true, admitsU2FModel: true))
    }

    private static func taken(_ made: NewCredential, _ json: JSONValue) {
        guard let data = clientData(json), let bytes = part("attestationObject", of: json),
            let object = try? AttestationObject(bytes)
        else {
            violated("what was taken can be read")
        }
        require(
            data["type"] == "webauthn.create" && data["crossOrigin"]?.bool != true && data["topOrigin"]?.string == nil,
            "client data are of this ceremony")
        require(
            json["type"] == "public-key" && json["id"] == json["rawId"]
                && json["id"]?.string == Base64URL.encode(made.id), "an id is spelt one way")
        require(
            made.attestationObject == bytes && object.data.attested?.id == made.id
                && object.data.attested?.keyBytes == made.key.bytes, "what is stored was attested")
        let flags = object.data.flags
        require(
            flags.contains(.userPresent) && made.userVerified == flags.contains(.userVerified), "somebody was there")
        require(!made.backedUp || made.backupEligible, "nothing is backed up that cannot be")
        require(
            made.key.numbers.isSound && made.model.count == 16 && made.transports.count <= 16, "what is stored is sound"
        )
        require(made.trust != .rooted, "without roots nothing leads to one")
        switch made.format {
        case .none: require(made.type == .none && made.trust == .none && object.statement.isEmpty, "none says nothing")
        case .packed:
            require(
                made.trust == (made.type == .selfAttested ? .selfAttested : .unverified) && made.type != .none,
                "packed is by a maker or by itself")
        case .fidoU2F, .androidKey, .apple, .tpm:
            require(made.trust == .unverified, "certificates without roots are a claim")
        }
    }

    /// A blank behind the client data changes their hash alone: every statement but `none` is over it.
    private static func signed(_ made: NewCredential, _ json: JSONValue) {
        guard let bytes = part("clientDataJSON", of: json), bytes.count < 16 * 1024 else { return }
        let other = register(replacing("clientDataJSON", by: bytes + [0x20], in: json))
        require((other != nil) == (made.format == .none), "a statement is about these client data: \(made.format)")
    }

    // MARK: Parts

    private static func part(_ name: String, of json: JSONValue) -> [UInt8]? {
        json["response"]?[name]?.string.flatMap { Base64URL.decode($0) }
    }

    private static func clientData(_ json: JSONValue) -> JSONValue? {
        part("clientDataJSON", of: json).flatMap { bytes in
            try? JSONReader.read(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes[3...]) : bytes)
        }
    }

    private static func replacing(_ name: String, by bytes: [UInt8], in json: JSONValue) -> JSONValue {
        guard var members = json.object, var response = json["response"]?.object else { return json }
        response[name] = .string(Base64URL.encode(bytes))
        members["response"] = .object(response)
        return .object(members)
    }

    /// Changes what is inside the base64, three times of four; the id goes with what is attested.
    private static func mutate(_ input: [UInt8], _ limit: Int, _ seed: UInt32) -> [UInt8]? {
        guard !seed.isMultiple(of: 4), let json = try? JSONReader.read(input) else { return nil }
        let name = seed % 4 == 1 ? "clientDataJSON" : "attestationObject"
        guard let inside = part(name, of: json) else { return nil }
        var changed = replacing(name, by: Driver.mutated(inside, limit: inside.count + 32), in: json)
        if seed % 4 == 3,
            let id = part("attestationObject", of: changed).flatMap({ try? AttestationObject($0) })?.data.attested?.id,
            var members = changed.object
        {
            (members["id"], members["rawId"]) = (.string(Base64URL.encode(id)), .string(Base64URL.encode(id)))
            changed = .object(members)
        }
        let output = changed.bytes
        return output.count <= limit ? output : nil
    }
}
