import Base
import Foundation

/// What a client shows in a Basic header: base64 of `id:secret` (RFC 7617, 2), both form-encoded before (RFC 6749,
/// 2.3.1 and appendix B).
///
/// The colon is looked for among bytes, not characters: a secret may begin with a combining mark.
public struct BasicCredentials: Sendable, Equatable {
    /// For whoever sent it; repeats nothing of it.
    public enum Malformed: Error, Equatable, CustomStringConvertible {
        case notBase64
        case noColon
        case notEncoded
        case noID

        public var description: String {
            switch self {
            case .notBase64: "the Basic header is not base64 of client_id:secret"
            case .noColon: "the Basic header has no colon between client_id and secret"
            case .notEncoded: "client_id and secret of the Basic header must be form-encoded UTF-8, without NUL"
            case .noID: "the Basic header has an empty client_id"
            }
        }
    }

    public let id: String
    public let secret: String

    /// `value` is what follows the scheme. An empty secret stays; whether a client may have none is not decided here.
    public init(_ value: some StringProtocol) throws(Malformed) {
        guard let bytes = Data(base64Encoded: String(value)), bytes.base64EncodedString() == value else {
            throw .notBase64
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { throw .noColon }
        do {
            (id, secret) = (try FormCodec.decode(bytes[..<colon]), try FormCodec.decode(bytes[(colon + 1)...]))
        } catch {
            throw .notEncoded
        }
        guard !id.isEmpty else { throw .noID }
    }
}
