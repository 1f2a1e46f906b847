import Base

/// The one string that an app is built with (protocols/operations.md, 4.11).
public struct SDKConfiguration: Sendable {
    private static let version: UInt8 = 1
    private static let p256: UInt8 = 1

    /// 16 bytes: names the version of the application.
    public let applicationKey: [UInt8]
    /// 16 bytes. Every phone has them.
    public let applicationSecret: SecretBytes
    /// 65 bytes.
    public let masterPublicKey: [UInt8]

    /// `configurationMalformed` when a part has not its length.
    public init(
        applicationKey: [UInt8], applicationSecret: SecretBytes, masterPublicKey: [UInt8]
    ) throws(PowerAuthRefusal) {
        guard applicationKey.count == 16, applicationSecret.count == 16, masterPublicKey.count == 65 else {
            throw .configurationMalformed
        }
        self.applicationKey = applicationKey
        self.applicationSecret = applicationSecret
        self.masterPublicKey = masterPublicKey
    }

    public var text: String {
        let parts = [
            [Self.version], CountCode.part(applicationKey), applicationSecret.expose { CountCode.part($0) },
            CountCode.bytes(1), [Self.p256],
            CountCode.part(masterPublicKey),
        ]
        return Base64Text.encode(parts.flatMap { $0 })
    }

    /// For the phone. Keys of kinds that are not ours are passed over, as protocol 4 adds some.
    public init(text: String) throws(PowerAuthRefusal) {
        guard text.utf8.count <= 1 << 16, let bytes = Base64Text.decode(text), bytes.first == Self.version else {
            throw .configurationMalformed
        }
        var rest = bytes.dropFirst()
        guard let key = CountCode.take(&rest), let secret = CountCode.take(&rest), let count = CountCode.read(&rest)
        else { throw .configurationMalformed }
        var master: [UInt8]?
        for _ in 0..<count {
            guard let kind = rest.popFirst(), let point = CountCode.take(&rest) else { throw .configurationMalformed }
            if kind == Self.p256 { master = point }
        }
        guard rest.isEmpty, let master else { throw .configurationMalformed }
        try self.init(applicationKey: key, applicationSecret: SecretBytes(secret), masterPublicKey: master)
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
