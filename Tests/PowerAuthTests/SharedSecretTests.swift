import Base
import Testing

@testable import PowerAuth

@Suite("PowerAuth 4: keys and shared secrets")
struct SharedSecretTests {
    static func bytes(_ text: String) throws -> [UInt8] { try #require(Base64Text.decode(text)) }

    @Test("KMAC-256: sample 4 of NIST SP 800-185")
    func sample() throws {
        let key = SecretBytes(Array(0x40...0x5F) as [UInt8])
        let mac = try KMAC256.mac(key: key, [0, 1, 2, 3], custom: Array("My Tagged Application".utf8), length: 64)

        #expect(
            mac == [
                0x20, 0xC5, 0x70, 0xC3, 0x13, 0x46, 0xF7, 0x03, 0xC9, 0xAC, 0x36, 0xC6, 0x1C, 0x03, 0xCB, 0x64, 0xC3,
                0x97, 0x0D, 0x0C, 0xFC, 0x78, 0x7E, 0x9B, 0x79, 0x59, 0x9D, 0x27, 0x3A, 0x68, 0xD2, 0xF7, 0xF6, 0x9D,
                0x4C, 0xC3, 0xDE, 0x9D, 0x10, 0x4A, 0x35, 0x16, 0x89, 0xF2, 0x7C, 0xF6, 0xF5, 0x95, 0x1F, 0x01, 0x03,
                0xF3, 0x3F, 0x4F, 0x24, 0x87, 0x10, 0x24, 0xD9, 0xC2, 0x77, 0x73, 0xA8, 0xDD,
            ])
    }

    @Test("KMAC-256 refuses keys and lengths that its library does not take", arguments: [0, 3, 513])
    func refusedKeys(count: Int) {
        let key = SecretBytes([UInt8](repeating: 1, count: count))

        #expect(throws: PowerAuthRefusal.keyMalformed) { try KMAC256.mac(key: key, [1], .status) }
        #expect(throws: PowerAuthRefusal.keyMalformed) {
            try KMAC256.mac(key: SecretBytes([1, 2, 3, 4]), [1], .status, length: 0)
        }
    }

    @Test("one row of kdf-v4.json, one of pbkdf-v4.json (wultra/powerauth-mobile-sdk, Apache-2.0)")
    func derivations() throws {
        let key = try SecretBytes(Self.bytes("XXHIqyeqc62dMpJF34luLw==")), diversifier = try Self.bytes("9rbT")
        let expected = try SecretBytes(Self.bytes("9EyTn84Y4PK81jnTe/phZQ=="))
        let derived = try LabeledKey.derive(key, .sharedInfo2, diversifier: diversifier, length: 16)
        let salt = try Self.bytes("JYMjNZPOa2RJjFgjqp+5VxFYhs9SllN9HHys0w1DNSBp/WVN/vqjHiA=")
        let stretched = try LabeledKey.ofPassword(SecretBytes("abc123".utf8), salt: salt)
        let wanted = try SecretBytes(Self.bytes("oYVIU19d+Ev3xSbT92mz2pUV7TNQYG6RTu8/pKRlV94="))

        #expect(derived == expected)
        #expect(stretched == wanted)
        #expect(throws: PowerAuthRefusal.keyMalformed) {
            try LabeledKey.ofPassword(SecretBytes("abc123".utf8), salt: [UInt8](repeating: 0, count: 31))
        }
    }

    @Test("one row of aead-v4.json (wultra/powerauth-mobile-sdk, Apache-2.0)")
    func aead() throws {
        let key = try SecretBytes(Self.bytes("Opu2DJ+shWpVO/YDfMC/Z1aAKJYYN6SFrFZeM3B44aQ="))
        let context = try Self.bytes("E/ArwxFjJREmQIZWRN5flXODO4IMxh5c9bUH3wBUaTs=")
        let associated = try Self.bytes("LGSPKGYYqdcQE4jUxJKJ9pZdYMecwnVQEprHw9+sOWGBlPWxfOwBdC0SSfmQquE=")
        let plaintext = try Self.bytes("PxpAUZf8NKM7VOFhIZq/lh5YBCTNx4Ij"), nonce = try Self.bytes("wjghwn0W60V/4q+F")
        let expected = try Self.bytes(
            "wjghwn0W60V/4q+F0lWh1cUxWrXBQKYQZEAmWD+Uaszmk7OpT0matMcpjAQQVIK+Xn0vFK47D98EzFzU3ByBvfBLDEw=")
        let sealed = try AEAD.seal(
            plaintext, keys: AEAD.Keys(key, context: context), nonce: nonce, associated: associated)
        let opened = try AEAD.open(sealed, keys: AEAD.Keys(key, context: context), associated: associated)

        #expect(sealed == expected)
        #expect(opened == plaintext)
    }

    @Test("one row of SharedSecret_Client_Vectors.json (wultra/powerauth-mobile-sdk, Apache-2.0)")
    func elliptic() throws {
        let device = try EllipticKEM(
            privateBytes: SecretBytes(Self.bytes("Ja4Gu4+zKFjyGNtG7j6fTCLxi6y3/5od+SR1S2twB1la6lSXGFopqMup8K+BSx3b")))
        let offer = try SharedSecretOffer(.p384, elliptic: device, lattice: nil)
        let response = try SharedSecretResponse(
            salt: Self.bytes("gdP+gumlUjsRQP5gle1eudfrkahMRwwQPcog7nzLFwE="),
            encapsulatedKeys: [
                Self.bytes(
                    "BIkP3Z2X121aC+kD7FKZqU+pUslZ/yzCwPf1ZigdVbgVBdGcgOK/iJEM2Xkzuz12EeeBmrACVn3tJJGz2ez/"
                        + "n2XztcpVlxZcjr5LVE19/aMD41OZkosDCxheNGT0lzuy1A==")
            ])
        let secret = try offer.secret(response)
        let expected = try SecretBytes(Self.bytes("Xr5kfRIhiFCv7y7FYP9w7KwGPCmSqfHnqQpR/2DimL4="))

        #expect(secret == expected)
    }

    struct HybridRow: Sendable {
        let algorithm: SharedSecretAlgorithm
        /// The first 21 bytes of the request's key of ML-KEM.
        let head: String
        let device: String
        let point: String
        let lattice: String
        let salt: String
        let secret: String
    }

    /// `lattice` is what another library (kyber-py) once decapsulated: the rows have expanded keys of ML-KEM, and
    /// BoringSSL takes seeds alone.
    static let hybridRows = [
        HybridRow(
            algorithm: .p384ML3, head: "MIIEsjALBglghkgBZQMEBAIDggSh",
            device: "tNar6dfQlCn3tRU0aCjx7gBdL5VxOhXRWtspnbb+Df4mjDOp/KtI/9gS+9R9ODZh",
            point: "BBI+GAPz4GaDMjZmZpPcRjK8WZTCZXRKaOjKKxbTrXvCe96FsRVZUKDXAWkTMAl40teilEmHG6xv/ew/BF4hXpHueYn+hshw"
                + "FE96dNWSsmBRf2rxBujH1pEhLjWuE9d9aA==",
            lattice: "JBj4B1Om6ep3Lw3+dowoaDem3Z8YuQ/wWTyb60DmOxE=",
            salt: "2R1R3kC283A1pEDLIMNr/5ZWEo2nSib9IzzFINWSJ5Y=",
            secret: "0rQyz605W+oMCV3iNKBGh7bt0Rkf5oZlYpoA+EK0Blk="),
        HybridRow(
            algorithm: .p384ML5, head: "MIIGMjALBglghkgBZQMEBAMDggYh",
            device: "IPPaJSpsGgufARUcHEj27AHtr9HlC2+r0SFaDfTVHR+2hhDoKOYnawSrxxQ/ek3U",
            point: "BGFiXntKbkC/jlM2sXxXF7pssARnlfxKPQvyo3/nYH93KG4dtxm830TDZMy5YsLRrQO2Pym6PSeLVlCzsNRKQ5di9HYxPBue"
                + "NIKptXYF3R1J3BM2d99q2K8cltYm1gzT2g==",
            lattice: "AmGtyktYpbs8xLwx0OE2DWkCsb+svuxVx+IsCbwGVB0=",
            salt: "uZuyQ3hDr/Y9LUBZe7TyXXUHZokhbGoqS3fqOl6vWqs=",
            secret: "XAXsPUHdS4jUc4h586uguUb1kXwCNgXWdh8+wiCpPOc="),
    ]

    @Test(
        "one row of each hybrid suite of SharedSecret_Client_Vectors.json (wultra/powerauth-mobile-sdk, Apache-2.0)",
        arguments: hybridRows)
    func hybrid(row: HybridRow) throws {
        let device = try EllipticKEM(privateBytes: SecretBytes(Self.bytes(row.device)))
        let elliptic = try device.decapsulate(Self.bytes(row.point)),
            lattice = try SecretBytes(Self.bytes(row.lattice))
        let salt = try Self.bytes(row.salt), expected = try SecretBytes(Self.bytes(row.secret))
        let combined = try SharedSecretRequest.combine([elliptic, lattice], row.algorithm, salt: salt)
        let turned = try SharedSecretRequest.combine([lattice, elliptic], row.algorithm, salt: salt)

        #expect(combined == expected)
        #expect(turned != expected)
        let head = try Self.bytes(row.head)
        #expect(row.algorithm.encapsulationPrefix.bytes == head + [0])
    }

    @Test(
        "both sides agree in every suite, and on nothing after a changed salt",
        arguments: SharedSecretAlgorithm.allCases)
    func agreement(algorithm: SharedSecretAlgorithm) throws {
        let offer = try SharedSecretOffer.fresh(algorithm)
        let answer = try SharedSecretRequest(json: offer.request.json).answer(.system)
        let secret = try offer.secret(SharedSecretResponse(json: answer.response.json))
        let salted = try SharedSecretResponse(
            salt: [UInt8](repeating: 0, count: 32), encapsulatedKeys: answer.response.encapsulatedKeys)
        let other = try offer.secret(salted)

        #expect(secret == answer.secret)
        #expect(secret.count == 32)
        #expect(other != secret)
    }

    @Test("requests that are none are refused", arguments: SharedSecretAlgorithm.allCases)
    func refusedRequests(algorithm: SharedSecretAlgorithm) throws {
        let keys = try SharedSecretOffer.fresh(algorithm).request.encapsulationKeys
        let point = Base64Text.encode(keys[0])
        func refusal(_ name: String, _ keys: [JSONValue]) -> PowerAuthRefusal? {
            do {
                _ = try SharedSecretRequest(json: ["algorithm": .string(name), "encapsulationKeys": .array(keys)])
                return nil
            } catch {
                return error
            }
        }

        #expect(refusal("EC_P256", [.string(point)]) == .algorithmUnsupported)
        #expect(refusal("ML_L3", [.string(point)]) == .algorithmUnsupported)
        #expect(refusal(algorithm.rawValue, []) == .sharedSecretMalformed)
        #expect(refusal(algorithm.rawValue, [.string("AA="), .string(point)]) == .sharedSecretMalformed)
        #expect(
            refusal(algorithm.rawValue, [.string(point), .string(point), .string(point)]) == .sharedSecretMalformed)
        #expect(refusal(algorithm.rawValue, [1]) == .sharedSecretMalformed)
        #expect(throws: PowerAuthRefusal.sharedSecretMalformed) { try SharedSecretRequest(json: [:]) }
        if algorithm.isHybrid {
            #expect(refusal(algorithm.rawValue, [.string(point), .string(point)]) == .publicKeyMalformed)
            #expect(refusal(algorithm.rawValue, [.string(point)]) == .sharedSecretMalformed)
        } else {
            #expect(refusal(algorithm.rawValue, [.string(point), .string(point)]) == .sharedSecretMalformed)
            #expect(
                refusal(algorithm.rawValue, [.string(Base64Text.encode([4] + [UInt8](repeating: 1, count: 96)))])
                    == .publicKeyMalformed)
            #expect(refusal(algorithm.rawValue, [.string("AAAA")]) == .publicKeyMalformed)
        }
    }

    @Test("a key of ML-KEM whose coefficients are not reduced is refused where it is read (FIPS 203, 7.2)")
    func unreduced() throws {
        for algorithm in SharedSecretAlgorithm.allCases where algorithm.isHybrid {
            let keys = try SharedSecretOffer.fresh(algorithm).request.encapsulationKeys
            let (prefix, count) = algorithm.encapsulationPrefix
            let bad = prefix + [UInt8](repeating: 0xFF, count: count)

            #expect(throws: PowerAuthRefusal.publicKeyMalformed) {
                try SharedSecretRequest(algorithm: algorithm, encapsulationKeys: [keys[0], bad])
            }
        }
    }

    @Test("answers of other lengths are refused")
    func refusedAnswers() throws {
        let offer = try SharedSecretOffer.fresh(.p384ML3), answer = try offer.request.answer(.system).response
        let keys = answer.encapsulatedKeys
        let short = try SharedSecretResponse(salt: answer.salt, encapsulatedKeys: [keys[0], Array(keys[1].dropLast())])
        let one = try SharedSecretResponse(salt: answer.salt, encapsulatedKeys: [keys[0]])
        let swapped = try SharedSecretResponse(salt: answer.salt, encapsulatedKeys: [keys[1], keys[0]])

        #expect(throws: PowerAuthRefusal.sharedSecretMalformed) { try offer.secret(short) }
        #expect(throws: PowerAuthRefusal.sharedSecretMalformed) { try offer.secret(one) }
        #expect(throws: PowerAuthRefusal.publicKeyMalformed) { try offer.secret(swapped) }
        #expect(throws: PowerAuthRefusal.sharedSecretMalformed) {
            try SharedSecretResponse(salt: [1], encapsulatedKeys: keys)
        }
    }

    @Test("keys of an activation secret are each another, and need 32 bytes")
    func activationSecret() throws {
        let keys = try ActivationSecret(SecretBytes([UInt8](repeating: 9, count: 32)))
        let all =
            [
                keys.possession, keys.knowledge, keys.biometry, keys.counterMAC, keys.statusMAC, keys.temporaryKeyMAC,
                keys.personalizedData, keys.sharedInfo2,
            ] + Array(keys.vaultKeys.values)

        #expect(Set(all.map { $0.expose { $0 } }).count == 11)
        #expect(keys.keys(.possessionBiometry) == [keys.possession, keys.biometry])
        #expect(throws: PowerAuthRefusal.keyMalformed) {
            try ActivationSecret(SecretBytes([UInt8](repeating: 9, count: 16)))
        }
    }
}
