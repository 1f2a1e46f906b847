/// What is wrong with a suite (RFC 6287, 6) or with what was given to it (5.1). Names the place, never the value of a
/// secret.
public enum OCRAError: Error, Sendable, Equatable {
    /// Not three parts, or another algorithm than `OCRA-1`.
    case algorithm
    /// Not `HOTP-`, one of three hashes, and 0 or 4…10 digits.
    case cryptoFunction
    /// This data input is unknown, malformed, out of order, or `Q` is missing.
    case dataInput(String)

    /// Empty, or not hexadecimal.
    case key
    /// Of the next five: missing although the suite has it, there although the suite has it not, or of the wrong form
    /// or length.
    case counter, question, pinHash, session, timestamp
}
