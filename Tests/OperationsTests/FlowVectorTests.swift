import Base
import Foundation
import ProtocolTestSupport
import TestSupport
import Testing

@testable import Operations
@testable import PowerAuth

/// Our own file: one flow of protocol 3.3 with all of its secrets. Everything in it is byte exact but ECDSA.
@Suite("PowerAuth vectors: one whole flow", .enabled(if: PowerAuthVectors.arePresent, PowerAuthVectors.whyNot))
struct FlowVectorTests {
    static func flow() throws -> VectorRow { try PowerAuthVectors.file("self-v33-flow").part("vectors") }

    let flow: VectorRow
    let application: VectorRow
    let activation: VectorRow
    let keys: ActivationKeys

    init() throws {
        flow = try Self.flow()
        application = try flow.part("application")
        activation = try flow.part("activation")
        keys = try ActivationKeys(
            own: activation.pair("serverPrivateKey"), peer: activation.raw("devicePublicKeyCompressed"))
    }

    /// What stands behind the name of the header.
    static func value(_ header: String, _ name: String) throws -> String {
        #expect(header.hasPrefix("\(name): "))
        return String(header.dropFirst(name.count + 2))
    }

    @Test("configuration of the app")
    func configuration() throws {
        let master = try application.pair("masterPrivateKey"), expected = try application.text("sdkConfig"),
            point = try application.raw("masterPublicKey")
        let made = try SDKConfiguration(
            applicationKey: application.raw("applicationKey"),
            applicationSecret: application.secret("applicationSecret"), masterPublicKey: master.public65
        )

        #expect(master.public65 == point)
        #expect(made.text == expected)
    }

    @Test("temporary keys, in both scopes", arguments: ["temporaryKeyApplication", "temporaryKeyActivation"])
    func temporaryKeys(name: String) throws {
        let row = try flow.part(name), isBound = name == "temporaryKeyActivation",
            secret = try application.secret("applicationSecret")
        let jwt = try row.text("requestJwt"), transport = isBound ? keys.transport : nil,
            temporary = try row.pair("temporaryPrivateKey")
        let request = try TemporaryKeyRequest(jwt: jwt)
        try request.verify(applicationSecret: secret, transport: transport)
        let again = TemporaryKeyRequest.jwt(
            applicationKey: request.applicationKey, activationID: request.activationID, challenge: request.challenge,
            applicationSecret: secret, transport: transport
        )
        let signer = isBound ? try activation.pair("serverPrivateKey") : try application.pair("masterPrivateKey")
        let example = try row.text("exampleResponseJwt"),
            response = try TemporaryKeyResponse(jwt: example, signedBy: signer.public65)
        let ours = TemporaryKeyResponse(
            keyID: response.keyID, answering: request, publicKey: temporary.public65, issued: response.issued,
            expires: response.expires)
        let signed = try ours.jwt(signedBy: signer),
            read = try TemporaryKeyResponse(jwt: signed, signedBy: signer.public33)
        let id = try activation.text("activationId"), key = try application.text("applicationKey")

        #expect(request.applicationKey == key)
        let bound = isBound ? id : nil
        #expect(request.activationID == bound)
        #expect(again == jwt)
        #expect(ours == response)
        #expect(read == response)
        #expect(example.hasPrefix("\(ours.signedText)."))
        #expect(response.expires - response.issued == 300_000)
        #expect(throws: PowerAuthRefusal.jwtSignatureMismatch) {
            try request.verify(applicationSecret: SecretBytes([UInt8](repeating: 0, count: 16)), transport: transport)
        }
        #expect(throws: PowerAuthRefusal.jwtSignatureMismatch) {
            try request.verify(applicationSecret: secret, transport: isBound ? nil : keys.transport)
        }
        #expect(throws: PowerAuthRefusal.jwtSignatureMismatch) {
            try TemporaryKeyResponse(jwt: example, signedBy: temporary.public65)
        }
    }

    @Test("the activation code")
    func activationCode() throws {
        let row = try flow.part("activationCode"), expected = try row.text("code"),
            signature = try row.raw("exampleSignature")
        let code = try ActivationCode(random: row.hexadecimal("rawHex")),
            master = try application.raw("masterPublicKey")

        #expect(code.text == expected)
        #expect(PublicPoint.isSigned(Array(code.text.utf8), der: signature, by: master))
    }

    /// Opens the request of an exchange with the temporary key, seals its response again, and has the phone do both
    /// from its side.
    func exchange(_ row: VectorRow, temporary: PowerAuthKeyPair, context: ECIESContext) throws {
        let name = try row.text("sharedInfo1"), label = try #require(ECIESLabel(rawValue: name))
        let request = try Envelope(json: row.part("request").json),
            response = try SealedData(json: row.part("response").json)
        let ecies = try ECIES(answering: request, own: temporary, label: label, context: context)
        let plaintext = try ecies.open(request), answer = try row.text("responsePlaintext")
        let sealed = try ecies.seal(response: Array(answer.utf8), nonce: response.nonce, timestamp: response.timestamp)
        let ephemeral = try row.pair("ephemeralPrivateKey")
        let phone = try ECIES(
            asking: temporary.public65, ephemeral: ephemeral, sent: ephemeral.public33, label: label, context: context)
        let asked = try phone.seal(
            request: plaintext, nonce: request.sealed.nonce, timestamp: request.sealed.timestamp,
            ephemeral: ephemeral.public33
        )
        let received = try phone.open(response),
            derived = ecies.keys.encryption.expose { $0 } + ecies.keys.mac.expose { $0 } + ecies.keys.iv.expose { $0 }
        let wanted = try (
            key: row.raw("envelopeKey"), base: row.raw("sharedInfo2Base"), data: row.raw("associatedData"),
            plain: row.text("requestPlaintext")
        )
        let written = try (request: row.part("request").json.text, response: row.part("response").json.text)

        #expect(String(decoding: plaintext, as: UTF8.self) == wanted.plain)
        #expect(sealed == response)
        #expect(asked == request.sealed)
        #expect(String(decoding: received, as: UTF8.self) == answer)
        #expect(derived == wanted.key)
        #expect(context.base == wanted.base)
        #expect(context.associatedData == wanted.data)
        #expect(request.json.text == written.request)
        #expect(sealed.json.text == written.response)
    }

    func bound(to temporaryKeyID: String) throws -> ECIESContext {
        try .activation(
            id: activation.text("activationId"), transport: keys.transport, key: application.text("applicationKey"),
            secret: application.text("applicationSecret"), temporaryKeyID: temporaryKeyID
        )
    }

    @Test("key exchange in two layers")
    func activationCreate() throws {
        let row = try flow.part("activationCreate"),
            temporary = try flow.part("temporaryKeyApplication").pair("temporaryPrivateKey")
        for layer in ["layer1", "layer2"] {
            let exchanged = try row.part(layer), id = try exchanged.part("request").text("temporaryKeyId")
            let context = try ECIESContext.application(
                key: application.text("applicationKey"), secret: application.text("applicationSecret"),
                temporaryKeyID: id)
            try exchange(exchanged, temporary: temporary, context: context)
        }
        let plain = try JSONReader.read(row.part("layer1").text("requestPlaintext").utf8),
            inner = try row.part("layer2").part("request").json
        #expect(plain["activationData"] == inner)

        let key = try application.text("applicationKey")
        for (member, commas) in [("headerIos", true), ("headerAndroid", false)] {
            let text = try Self.value(row.text(member), EncryptionHeader.name),
                header = try EncryptionHeader(parsing: text)

            #expect(header == EncryptionHeader(version: .v33, applicationKey: key, activationID: nil))
            #expect(header.text(commas: commas) == text)
        }
    }

    @Test("keys, fingerprint and counter of the registration")
    func registration() throws {
        let device = try activation.pair("devicePrivateKey"), server = try activation.pair("serverPrivateKey"),
            id = try activation.text("activationId")
        let phone = try ActivationKeys(own: device, peer: server.public65),
            master = try ActivationKeys(masterSecret: activation.secret("masterSecret"))
        let wanted = try ["possession", "knowledge", "biometry", "transport", "vault"].map { try activation.secret($0) }
        let expected = try (
            fingerprint: activation.text("fingerprint"), server: activation.raw("serverPublicKey"),
            device: activation.raw("devicePublicKeyCompressed")
        )
        for keys in [keys, phone, master] {
            #expect([keys.possession, keys.knowledge, keys.biometry, keys.transport, keys.vault] == wanted)
        }
        let fingerprint = try Fingerprint.of(device: device.public33, activationID: id, server: server.public65)

        #expect(fingerprint == expected.fingerprint)
        #expect(server.public65 == expected.server)
        #expect(device.public33 == expected.device)

        var counter = try HashCounter(activation.raw("ctrData0"))
        let values = try counters()
        #expect(values.count == 26)
        for value in values {
            #expect(counter == value)
            counter = counter.next()
        }
    }

    func counters() throws -> [HashCounter] {
        let row = try flow.part("counter"), values = try #require(row.json["values"]?.strings)
        return try values.map { value -> HashCounter in
            let bytes = try #require(Base64Text.decode(value))
            return try HashCounter(bytes)
        }
    }

    @Test("encrypted requests in activation scope", arguments: ["tokenCreate", "vaultUnlock"])
    func encrypted(name: String) throws {
        let row = try flow.part(name).part("encryption"),
            temporary = try flow.part("temporaryKeyActivation").pair("temporaryPrivateKey")
        try exchange(row, temporary: temporary, context: bound(to: row.part("request").text("temporaryKeyId")))

        let authorization = try flow.part(name).part("authorization")
        try signed(authorization)
        let body = try authorization.text("body"), request = try row.part("request").json.text
        #expect(request == body)
    }

    @Test("the vault key is given under the transport key")
    func vault() throws {
        let answer = try JSONReader.read(flow.part("vaultUnlock").part("encryption").text("responsePlaintext").utf8)
        let made = try keys.encryptedVaultKey()

        #expect(answer["encryptedVaultEncryptionKey"]?.string == Base64Text.encode(made))
    }

    /// Reads the header of the row, finds its signature at the row's counter, and writes the same header.
    func signed(_ row: VectorRow) throws {
        let text = try Self.value(row.text("header"), SignatureHeader.name),
            header = try SignatureHeader(parsing: text), body = Array(try row.text("body").utf8)
        let uri = try row.text("uriId"), secret = try application.text("applicationSecret"),
            counter = try HashCounter(row.raw("ctrData"))
        let base = FactorSignature.baseString(method: "POST", uriID: uri, nonce: header.nonce, body: body)
        let data = FactorSignature.data(method: "POST", uriID: uri, nonce: header.nonce, body: body, secret: secret)
        let found = FactorSignature.find(
            header.signature, header.version, keys: keys.keys(header.type), counter: counter, lookAhead: 20, data: data)
        let made = FactorSignature.make(.v33, keys: keys.keys(header.type), counter: counter, data: data)
        let wanted = try (
            base: row.text("baseString"), signature: row.text("signature"), type: row.text("signatureType")
        )

        #expect(String(decoding: base, as: UTF8.self) == wanted.base)
        #expect(made == wanted.signature)
        #expect(header.type.rawValue == wanted.type)
        #expect(header.text == text)
        #expect(found == FactorSignature.Match(steps: 1, next: counter.next()))
    }

    @Test("signatures are found at their counters")
    func authorize() throws {
        let rows = try flow.rows("authorize")
        #expect(rows.count == 4)
        for row in rows { try signed(row) }
    }

    @Test("lost requests are bridged, and nothing passes twice")
    func lookAhead() throws {
        let row = try flow.rows("authorize")[1],
            header = try SignatureHeader(parsing: Self.value(row.text("header"), SignatureHeader.name))
        let values = try counters()
        let data = try FactorSignature.data(
            method: "POST", uriID: row.text("uriId"), nonce: header.nonce, body: Array(row.text("body").utf8),
            secret: application.text("applicationSecret")
        )
        func find(from index: Int, within lookAhead: Int) -> FactorSignature.Match? {
            FactorSignature.find(
                header.signature, header.version, keys: keys.keys(header.type), counter: values[index],
                lookAhead: lookAhead, data: data)
        }

        #expect(find(from: 2, within: 20) == FactorSignature.Match(steps: 4, next: values[6]))
        #expect(find(from: 2, within: 4) == FactorSignature.Match(steps: 4, next: values[6]))
        #expect(find(from: 2, within: 3) == nil)
        #expect(find(from: 6, within: 20) == nil)
    }

    @Test("token headers of all versions")
    func tokens() throws {
        let rows = try flow.rows("tokenDigest")
        #expect(rows.count == 4)
        for row in rows {
            let text = try Self.value(row.text("header"), TokenHeader.name), header = try TokenHeader(parsing: text),
                secret = try row.secret("tokenSecret")
            let moved = TokenHeader(
                version: header.version, tokenID: header.tokenID, digest: header.digest, nonce: header.nonce,
                timestamp: header.timestamp + 1)
            let version = try row.text("version"), digest = try row.raw("digest")

            #expect(header.version.rawValue == version)
            #expect(header.digest == digest)
            #expect(header.text == text)
            #expect(TokenDigest.verify(header, secret: secret))
            #expect(!TokenDigest.verify(moved, secret: secret))
            #expect(!TokenDigest.verify(header, secret: keys.transport))
        }
    }

    @Test("the status blob")
    func status() throws {
        let row = try flow.part("status"), challenge = try row.part("request").part("requestObject").raw("challenge"),
            meaning = try row.part("meaning")
        let answer = try row.part("response").part("responseObject"), nonce = try answer.raw("nonce"),
            plain = try row.hexadecimal("plainBlobHex")
        let index = try meaning.number("ctrIndex"), counter = try counters()[index]
        let blob = try StatusBlob(
            state: .active, counterByte: UInt8(meaning.number("ctrByte")), failed: UInt8(meaning.number("failed")),
            maximumFailed: UInt8(meaning.number("maxFailed")), lookAhead: UInt8(meaning.number("lookAhead")),
            counterHash: StatusBlob.counterHash(counter, transport: keys.transport)
        )
        let sealed = try blob.seal(
            challenge: challenge, nonce: nonce, filler: Array(plain[7..<12]), transport: keys.transport)
        let iv = try StatusBlob.initializationVector(challenge: challenge, nonce: nonce, transport: keys.transport)
        let expected = try (blob: answer.raw("encryptedStatusBlob"), iv: row.raw("iv"))

        #expect(sealed == expected.blob)
        #expect(iv == expected.iv)
    }

    @Test("offline codes, and what people type", arguments: ["signedData", "signedDataWithTotp"])
    func offline(member: String) throws {
        let row = try flow.part("offline"), signed = try row.text(member), lines = signed.components(separatedBy: "\n"),
            hasTOTP = member == "signedDataWithTotp"
        let server = try activation.pair("serverPrivateKey"), totp = hasTOTP ? lines[5] : nil,
            nonce = try row.raw("nonce")
        let code = try OfflineCode(
            operationID: lines[0], title: lines[1], message: lines[2], data: lines[3],
            flags: OfflineCode.Flags(biometry: true), totp: totp, nonce: nonce,
            signer: .registration
        )
        let text = try code.text(signedBy: server), scanned = try #require(ScannedOfflineCode(text))
        let signatures = try #require(row.json["exampleSignatures"]?.strings),
            example = try #require(Base64Text.decode(signatures[hasTOTP ? 1 : 0]))

        #expect(code.signedText == signed)
        #expect(scanned.signedText == signed)
        #expect(scanned.isSigned(by: server.public65))
        #expect(PublicPoint.isSigned(Array(signed.utf8), der: example, by: server.public65))
        let codes = try row.rows("codes")
        #expect(codes.count == 3)
        for one in codes {
            let body = try one.text("body"), factors = try one.text("signatureType")
            guard body.hasSuffix("&12345678") == hasTOTP else { continue }
            let type = try #require(FactorType(parsing: factors)), counter = try HashCounter(one.raw("ctrData"))
            let data = OfflineAnswer.data(operationID: lines[0], data: lines[3], totp: totp, nonce: nonce),
                typed = try one.text("code")
            let digits = typed.replacingOccurrences(of: "-", with: ""), expected = try one.text("signedText")
            let answer = try OfflineAnswer.normalized(" \(digits.prefix(4)) \(digits.dropFirst(4))\u{A0}")

            let other = OfflineAnswer.data(
                operationID: lines[0], data: lines[3], totp: totp, nonce: nonce, uriID: "/payment/offline")
            var parts = expected.components(separatedBy: "&")
            parts[1] = Base64Text.encode("/payment/offline".utf8)

            #expect(String(decoding: data, as: UTF8.self) == expected)
            #expect(String(decoding: other, as: UTF8.self) == parts.joined(separator: "&"))
            #expect(answer == typed)
            #expect(scanned.answer(keys: keys.keys(type), counter: counter) == typed)
            #expect(
                FactorSignature.find(answer, .v30, keys: keys.keys(type), counter: counter, lookAhead: 20, data: data)?
                    .steps == 1)
        }
    }

    @Test("proximity codes of the current and the last step")
    func proximity() throws {
        let row = try flow.part("proximityTotp"), seed = try row.secret("seed"),
            now = Date(numericDate: try row.number("time"))
        let current = try row.text("otp"), previous = try row.text("otpPrevious"),
            older = try row.text("otpTwoStepsBack")

        #expect(ProximityCode.code(seed, at: now) == current)
        #expect(ProximityCode.isRight(current, seed: seed, at: now))
        #expect(ProximityCode.isRight(previous, seed: seed, at: now))
        #expect(!ProximityCode.isRight(older, seed: seed, at: now))
    }
}
