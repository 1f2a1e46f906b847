import Base

/// One packet of Socket.IO protocol 5: `<type>[<attachments>-][<namespace>,][<ack id>][JSON]`.
///
/// `payload` is the JSON as the sender wrote it, so that what is relayed is what was sent; it has been read strictly
/// (RFC 8259, `JSONReader`).
public struct SocketPacket: Sendable, Equatable {
    public enum Kind: UInt8, Sendable {
        case connect = 0, disconnect, event, ack, connectError, binaryEvent, binaryAck
        var hasAttachments: Bool { self == .binaryEvent || self == .binaryAck }
    }

    public struct Malformed: Error, Equatable {}

    public static let main = "/"
    static let mostAttachments = 8
    /// Names that the client libraries keep for themselves.
    static let reservedNames: Set<String> = [
        "connect", "connect_error", "disconnect", "disconnecting", "newListener", "removeListener",
    ]

    public let kind: Kind
    public let namespace: String
    let acknowledgement: Int?
    let attachments: Int
    let payload: String
    let value: JSONValue?

    public init(
        _ kind: Kind, in namespace: String = SocketPacket.main, acknowledgement: Int? = nil, attachments: Int = 0,
        _ value: JSONValue? = Optional.none
    ) {
        (self.kind, self.namespace, self.acknowledgement, self.attachments) = (
            kind, namespace, acknowledgement, attachments
        )
        (self.value, payload) = (value, value?.text ?? "")
    }

    /// What a CONNECT shows.
    public var shown: JSONObject? { kind == .connect ? value?.object : nil }

    /// An event with the array that somebody sent, unchanged.
    public static func relaying(_ payload: String) -> String { "2" + payload }

    public var text: String {
        var out = String(kind.rawValue)
        if kind.hasAttachments { out += "\(attachments)-" }
        if namespace != SocketPacket.main { out += namespace + "," }
        if let acknowledgement { out += String(acknowledgement) }
        return out + payload
    }

    /// `isAwaited` is asked before any JSON is read, which takes as long as it is.
    init(_ text: String, isAwaited: (Kind, String) -> Bool = { _, _ in true }) throws(Malformed) {
        var rest = Array(text.utf8)[...]
        guard let digit = rest.popFirst(), digit >= UInt8(ascii: "0"),
            let kind = Kind(rawValue: digit - UInt8(ascii: "0"))
        else { throw Malformed() }
        var count = 0
        if kind.hasAttachments {
            guard let number = try SocketPacket.number(&rest), number <= SocketPacket.mostAttachments,
                rest.popFirst() == UInt8(ascii: "-")
            else { throw Malformed() }
            count = number
        }
        let namespace = try SocketPacket.namespace(&rest)
        guard isAwaited(kind, namespace) else { throw Malformed() }
        let acknowledgement = try SocketPacket.number(&rest)
        var value: JSONValue?
        if !rest.isEmpty {
            // Blanks before it would be digits to JavaScript's reader, where it is relayed (`Number(" ")` is 0).
            guard let first = rest.first, first > 0x20, let json = try? JSONReader.read(rest) else { throw Malformed() }
            value = json
        }
        (self.kind, self.namespace, self.acknowledgement, attachments) = (kind, namespace, acknowledgement, count)
        (payload, self.value) = (String(decoding: rest, as: UTF8.self), value)
        guard SocketPacket.fits(value, kind, acknowledgement), SocketPacket.placeholders(in: value) == Array(0..<count)
        else { throw Malformed() }
    }

    /// From a slash to the comma, or to the end. `/` is the main namespace, which socket.io-client-swift names.
    private static func namespace(_ rest: inout ArraySlice<UInt8>) throws(Malformed) -> String {
        guard rest.first == UInt8(ascii: "/") else { return main }
        let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
        let name = rest[rest.startIndex..<end]
        guard name.count <= 128,
            name.allSatisfy({
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "{")
                    && $0 != UInt8(ascii: "[")
            })
        else { throw Malformed() }
        rest = rest[min(end + 1, rest.endIndex)...]
        return String(decoding: name, as: UTF8.self)
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) throws(Malformed) -> Int? {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard !digits.isEmpty else { return nil }
        guard digits.count <= 15, let number = Int(String(decoding: digits, as: UTF8.self)) else { throw Malformed() }
        rest = rest.dropFirst(digits.count)
        return number
    }

    /// What may follow each kind.
    private static func fits(_ value: JSONValue?, _ kind: Kind, _ acknowledgement: Int?) -> Bool {
        switch kind {
        case .connect: return acknowledgement == nil && (value == nil || value?.object != nil)
        case .disconnect: return acknowledgement == nil && value == nil
        case .connectError: return acknowledgement == nil && (value?.object != nil || value?.string != nil)
        case .event, .binaryEvent: return value?.array?.first?.string.map { !reservedNames.contains($0) } ?? false
        case .ack, .binaryAck: return acknowledgement != nil && value?.array != nil
        }
    }

    /// The numbers of `{"_placeholder":true,"num":n}`, sorted. A packet without attachments has no such object.
    private static func placeholders(in value: JSONValue?) -> [Int] {
        var found: [Int] = []
        func search(_ value: JSONValue) {
            switch value {
            case .array(let items): items.forEach(search)
            case .object(let object):
                if object["_placeholder"] == .bool(true) {
                    found.append(object["num"]?.integer ?? -1)
                } else {
                    object.forEach { search($0.value) }
                }
            default: break
            }
        }
        if let value { search(value) }
        return found.sorted()
    }
}
