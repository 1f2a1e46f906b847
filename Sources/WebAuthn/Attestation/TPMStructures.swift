import PKIX

/// Reads the structures of TPM 2.0 (part 2): numbers of fixed width, most significant byte first, and sized buffers.
struct TPMReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ count: Int) throws(WebAuthnRefusal) -> [UInt8] {
        guard rest.count >= count else { throw .tpmStructure }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func short() throws(WebAuthnRefusal) -> UInt16 { try take(2).reduce(0) { $0 << 8 | UInt16($1) } }
    mutating func long() throws(WebAuthnRefusal) -> UInt32 { try take(4).reduce(0) { $0 << 8 | UInt32($1) } }
    /// TPM2B_…
    mutating func sized() throws(WebAuthnRefusal) -> [UInt8] { try take(Int(try short())) }

    /// An algorithm and what follows of its details: `details` when it is not TPM_ALG_NULL.
    mutating func scheme(_ details: (UInt16) -> Int) throws(WebAuthnRefusal) {
        let algorithm = try short()
        if algorithm != 0x0010 { _ = try take(details(algorithm)) }
    }
}

/// TPMT_PUBLIC (12.2.4): `pubArea`.
struct TPMPublicArea {
    let nameHash: HashAlgorithm
    let key: PublicKeyNumbers

    init(_ bytes: [UInt8]) throws(WebAuthnRefusal) {
        var reader = TPMReader(bytes)
        let type = try reader.short()
        guard let nameHash = HashAlgorithm(rawValue: try reader.short()) else { throw .tpmStructure }
        self.nameHash = nameHash
        _ = try reader.long()
        _ = try reader.sized()
        // TPMT_SYM_DEF_OBJECT: bits of the key, and mode.
        try reader.scheme { _ in 4 }
        switch type {
        case 0x0001:
            // TPMT_RSA_SCHEME: RSAES has no details, the others a hash.
            try reader.scheme { $0 == 0x0015 ? 0 : 2 }
            _ = try reader.short()
            let exponent = try reader.long(), modulus = try reader.sized()
            key = .rsa(n: Array(modulus.drop { $0 == 0 }), e: Self.exponent(exponent))
        case 0x0023:
            // TPMT_ECC_SCHEME: a hash, and for ECDAA a counter.
            try reader.scheme { $0 == 0x001A ? 4 : 2 }
            guard let curve = Self.curves[try reader.short()] else { throw .tpmStructure }
            // TPMT_KDF_SCHEME: a hash.
            try reader.scheme { _ in 2 }
            let x = try reader.sized(), y = try reader.sized()
            guard x.count <= curve.size, y.count <= curve.size else { throw .tpmStructure }
            key = .elliptic(curve, x: Self.padded(x, curve.size), y: Self.padded(y, curve.size))
        default: throw .tpmStructure
        }
        guard reader.isAtEnd else { throw .tpmStructure }
    }

    private static let curves: [UInt16: PublicKeyNumbers.Curve] = [0x0003: .p256, 0x0004: .p384, 0x0005: .p521]

    /// Zero stands for 65537 (12.2.3.5).
    private static func exponent(_ number: UInt32) -> [UInt8] {
        let bytes = withUnsafeBytes(of: (number == 0 ? 65537 : number).bigEndian) { Array($0) }
        return Array(bytes.drop { $0 == 0 })
    }

    private static func padded(_ number: [UInt8], _ size: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: size - number.count) + number
    }
}

/// TPMS_ATTEST (10.12.8) of TPM2_Certify: `certInfo`.
struct TPMCertified {
    let extraData: [UInt8]
    let name: [UInt8]

    /// `tpmCertified` when it is another structure, or not made by a TPM.
    init(_ bytes: [UInt8]) throws(WebAuthnRefusal) {
        var reader = TPMReader(bytes)
        // TPM_GENERATED_VALUE and TPM_ST_ATTEST_CERTIFY: the TPM signs nothing that begins so for anybody outside.
        guard try reader.long() == 0xFF54_4347, try reader.short() == 0x8017 else { throw .tpmCertified }
        _ = try reader.sized()
        extraData = try reader.sized()
        // clockInfo and firmwareVersion.
        _ = try reader.take(17 + 8)
        name = try reader.sized()
        _ = try reader.sized()
        guard reader.isAtEnd else { throw .tpmStructure }
    }
}
