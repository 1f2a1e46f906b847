import Base

/// OCRA (RFC 6287): an answer to a challenge, from a shared secret. One-way (7.1), mutual (7.2, by
/// `OCRAInput.counterpart`) and signatures (7.3) are one computation over different data inputs.
public enum OCRAAlgorithm {
    /// Decimal digits, as many as the suite says; for 0 digits the whole HMAC in lower-case hexadecimal.
    public static func response(suite: OCRASuite, key: SecretBytes, input: OCRAInput) throws(OCRAError) -> String {
        guard key.count > 0 else { throw .key }
        let message = try dataInput(suite: suite, input: input)
        let mac = suite.function.hmac(key: key, message)
        return suite.digits == 0 ? Hexadecimal.encode(mac) : truncate(mac, digits: suite.digits)
    }

    /// Whether `response` is the answer, letter for letter; the time tells nothing but its length. Input that does not
    /// fit the suite has no right answer.
    public static func verify(suite: OCRASuite, key: SecretBytes, input: OCRAInput, response: String) -> Bool {
        guard let expected = try? Self.response(suite: suite, key: key, input: input) else { return false }
        return ConstantTime.equal(expected, response)
    }

    /// A key as phones send it, in hexadecimal of either case.
    public static func key(hexadecimal text: String) throws(OCRAError) -> SecretBytes {
        guard let bytes = Hexadecimal.decode(text), !bytes.isEmpty else { throw .key }
        return SecretBytes(bytes)
    }

    /// 5.1: suite, a zero byte, then C, Q, P, S and T, each in its fixed length.
    static func dataInput(suite: OCRASuite, input: OCRAInput) throws(OCRAError) -> [UInt8] {
        let session = input.session ?? []
        guard suite.hasCounter == (input.counter != nil) else { throw .counter }
        guard suite.pinHash?.byteCount == input.pinHash?.count else { throw .pinHash }
        guard session.isEmpty == (suite.sessionLength == nil), session.count <= suite.sessionLength ?? 0 else {
            throw .session
        }
        guard (suite.timeStep == nil) == (input.timestamp == nil) else { throw .timestamp }

        var message = Array(suite.text.utf8) + [0]
        if let counter = input.counter { message += bytes(of: counter) }
        message += try suite.question.field(input.question, input.counterpart)
        message += input.pinHash ?? []
        message += [UInt8](repeating: 0, count: (suite.sessionLength ?? 0) - session.count) + session
        if let timestamp = input.timestamp { message += bytes(of: timestamp) }
        return message
    }

    /// Dynamic truncation (RFC 4226, 5.3) of a MAC of at least 20 bytes: 31 bits, so that of ten digits the first is 0,
    /// 1 or 2.
    static func truncate(_ mac: [UInt8], digits: Int) -> String {
        let offset = Int(mac[mac.count - 1] & 15)
        let number = mac[offset..<offset + 4].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & 0x7FFF_FFFF
        let power = (0..<digits).reduce(UInt64(1)) { power, _ in power * 10 }
        let text = String(number % power)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }

    private static func bytes(of number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}
