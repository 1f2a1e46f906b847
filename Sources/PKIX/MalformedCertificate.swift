/// Why bytes are no certificate (RFC 5280, 4). For whoever sent it; repeats nothing of it.
public struct MalformedCertificate: Error, Sendable, CustomStringConvertible {
    /// Far more than any certificate in use, with its names, in bytes.
    public static let sizeLimit = 64 * 1024

    public let description: String

    public init(_ description: String) { self.description = description }

    /// Before anything of it is parsed.
    public static func checkSize(_ der: [UInt8]) throws(MalformedCertificate) {
        guard der.count <= sizeLimit else {
            throw MalformedCertificate("a certificate of more than \(sizeLimit / 1024) KiB")
        }
    }
}
