import Base

/// What is answered: the data inputs of RFC 6287, 5.1. Each is given exactly when the suite has it.
public struct OCRAInput: Sendable {
    public let counter: UInt64?
    /// The challenge in its own letters: decimal, hexadecimal or alphanumeric as the suite says.
    public let question: String
    /// The other side's challenge, which stands behind `question`, when both sides answer (7.2): the server answers the
    /// client's challenge and then its own, the client the server's and then its own. `nil` for one-way answers (7.1)
    /// and signatures (7.3).
    public let counterpart: String?
    /// As long as its hash: `suite.pinHash?.digest(pin.utf8)`.
    public let pinHash: [UInt8]?
    /// 1 byte up to the length of the suite; shorter ones stand to the right.
    public let session: [UInt8]?
    /// In time steps: `suite.timeSteps(at:)`.
    public let timestamp: UInt64?

    public init(
        counter: UInt64? = nil, question: String, counterpart: String? = nil, pinHash: [UInt8]? = nil,
        session: [UInt8]? = nil, timestamp: UInt64? = nil
    ) {
        (self.counter, self.question, self.counterpart) = (counter, question, counterpart)
        (self.pinHash, self.session, self.timestamp) = (pinHash, session, timestamp)
    }

    /// From hexadecimal text, as the tables of the RFC and other libraries have it. An empty text is as good as none.
    public static func hexadecimal(
        counter: String? = nil, question: String, counterpart: String? = nil, pinHash: String? = nil,
        session: String? = nil, timestamp: String? = nil
    ) throws(OCRAError) -> OCRAInput {
        OCRAInput(
            counter: try number(counter, .counter), question: question, counterpart: counterpart,
            pinHash: try bytes(pinHash, .pinHash),
            session: try bytes(session, .session), timestamp: try number(timestamp, .timestamp)
        )
    }

    private static func number(_ text: String?, _ refusal: OCRAError) throws(OCRAError) -> UInt64? {
        guard let text, !text.isEmpty else { return nil }
        guard let nibbles = Hexadecimal.nibbles(text.utf8), nibbles.count <= 16 else { throw refusal }
        return nibbles.reduce(UInt64(0)) { $0 << 4 | UInt64($1) }
    }

    private static func bytes(_ text: String?, _ refusal: OCRAError) throws(OCRAError) -> [UInt8]? {
        guard let text, !text.isEmpty else { return nil }
        guard let nibbles = Hexadecimal.nibbles(text.utf8) else { throw refusal }
        return Hexadecimal.joined(nibbles.count.isMultiple(of: 2) ? nibbles : [0] + nibbles)
    }
}
