/// A value of CBOR (RFC 8949) of the kinds that authenticators write: no tags, floats or other simple values.
public indirect enum CBOR: Sendable, Equatable {
    /// Names of members. Other kinds of keys are in no structure of WebAuthn.
    public enum Key: Sendable, Hashable {
        case integer(Int)
        case text(String)
    }

    case integer(Int)
    case bytes([UInt8])
    case text(String)
    case array([CBOR])
    case map([Key: CBOR])
    case bool(Bool)
    case null

    public var integer: Int? { if case .integer(let number) = self { number } else { nil } }
    public var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    public var text: String? { if case .text(let text) = self { text } else { nil } }
    public var array: [CBOR]? { if case .array(let items) = self { items } else { nil } }
    public var map: [Key: CBOR]? { if case .map(let members) = self { members } else { nil } }

    subscript(name: String) -> CBOR? { map?[.text(name)] }
    subscript(label: Int) -> CBOR? { map?[.integer(label)] }
}
