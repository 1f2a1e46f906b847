import Base

/// The one string that an app is built with (protocols/operations.md, 4.11; protocols/powerauth4.md).
public struct SDKConfiguration: Sendable {
    private static let version: UInt8 = 1

    /// What a key in it is for.
    private enum Kind: UInt8 {
        case p256 = 1
        case p384 = 2
        case mldsa65 = 3
        case mldsa87 = 4
    }

    /// 16 bytes: names the version of the application.
    public let applicationKey: [UInt8]
    /// 16 bytes. Every phone has them.
    public let applicationSecret: SecretBytes
    /// 65 bytes, for protocol 3.
    public let masterPublicKey: [UInt8]
    /// For protocol 4: one key of P-384 in all of them, and ML-DSA's of as many suites as the application has. Empty in
    /// an application that speaks protocol 3 alone.
    public let hybridKeys: [HybridPublicKey]

    /// `configurationMalformed` when a part has not its length, or keys of protocol 4 are not one pair with its
    /// suites.
    public init(
        applicationKey: [UInt8], applicationSecret: SecretBytes, masterPublicKey: [UInt8],
        hybridKeys: [HybridPublicKey] = []
    ) throws(PowerAuthRefusal) {
        guard applicationKey.count == 16, applicationSecret.count == 16, masterPublicKey.count == 65,
            Set(hybridKeys.map(\.algorithm)).count == hybridKeys.count, Set(hybridKeys.map(\.ecdsa)).count <= 1
        else { throw .configurationMalformed }
        self.applicationKey = applicationKey
        self.applicationSecret = applicationSecret
        self.masterPublicKey = masterPublicKey
        self.hybridKeys = hybridKeys
    }

    public var text: String {
        var keys: [(Kind, [UInt8])] = [(.p256, masterPublicKey)]
        if let first = hybridKeys.first { keys.append((.p384, first.ecdsa)) }
        for key in hybridKeys {
            if let mldsa = key.mldsa { keys.append((key.algorithm == .p384ML3 ? .mldsa65 : .mldsa87, mldsa)) }
        }
        let parts = [
            [Self.version], CountCode.part(applicationKey), applicationSecret.expose { CountCode.part($0) },
            CountCode.bytes(keys.count), keys.flatMap { [$0.0.rawValue] + CountCode.part($0.1) },
        ]
        return Base64Text.encode(parts.flatMap { $0 })
    }

    /// For the phone. Keys of kinds that are not ours are passed over.
    public init(text: String) throws(PowerAuthRefusal) {
        guard text.utf8.count <= 1 << 16, let bytes = Base64Text.decode(text), bytes.first == Self.version else {
            throw .configurationMalformed
        }
        var rest = bytes.dropFirst()
        guard let key = CountCode.take(&rest), let secret = CountCode.take(&rest), let count = CountCode.read(&rest)
        else { throw .configurationMalformed }
        var found: [Kind: [UInt8]] = [:]
        for _ in 0..<count {
            guard let kind = rest.popFirst(), let point = CountCode.take(&rest) else { throw .configurationMalformed }
            if let kind = Kind(rawValue: kind) { found[kind] = point }
        }
        guard rest.isEmpty, let master = found[.p256] else { throw .configurationMalformed }
        var keys: [HybridPublicKey] = []
        if let ecdsa = found[.p384] {
            do {
                keys.append(try HybridPublicKey(.p384, ecdsa: ecdsa, mldsa: nil))
                if let mldsa = found[.mldsa65] {
                    keys.append(try HybridPublicKey(.p384ML3, ecdsa: ecdsa, mldsa: mldsa))
                }
                if let mldsa = found[.mldsa87] {
                    keys.append(try HybridPublicKey(.p384ML5, ecdsa: ecdsa, mldsa: mldsa))
                }
            } catch {
                throw .configurationMalformed
            }
        }
        try self.init(
            applicationKey: key, applicationSecret: SecretBytes(secret), masterPublicKey: master, hybridKeys: keys)
    }
}

/// Lengths of one, two or four bytes; the first two bits tell which. Below 2^30, in the shortest form.
enum CountCode {
    static func bytes(_ count: Int) -> [UInt8] {
        switch count {
        case ..<0x80: [UInt8(clamping: count)]
        case ..<0x4000: BigEndian.bytes(UInt16(count) | 0x8000)
        default: BigEndian.bytes(UInt32(clamping: min(count, 0x3FFF_FFFF)) | 0xC000_0000)
        }
    }

    static func part(_ bytes: [UInt8]) -> [UInt8] { self.bytes(bytes.count) + bytes }

    static func read(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard let first = rest.first else { return nil }
        let width = first < 0x80 ? 1 : first < 0xC0 ? 2 : 4
        let digits = rest.prefix(width)
        rest = rest.dropFirst(width)
        let value = digits.reduce(0) { $0 << 8 | Int($1) } & (width == 1 ? 0x7F : width == 2 ? 0x3FFF : 0x3FFF_FFFF)
        return digits.count == width && bytes(value).count == width ? value : nil
    }

    /// So many bytes as the length before them says.
    static func take(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard let count = read(&rest), count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}
