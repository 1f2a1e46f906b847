import OCRA
import Synchronization

extension OCRASuite {
    /// What both tiqr apps compute rightly (design/backoffice.md, Identifiers): six to eight digits, an even number of
    /// hexadecimal digits as question, and a session that is written `S064`, or `S` as the PHP library has it.
    public var isOffered: Bool { isKnownToPhones }

    /// The suite of a row. Those that phones know, a few hundred at most, are remembered.
    static func read(_ text: String) throws(OCRAError) -> OCRASuite {
        if let suite = remembered.withLock({ $0[text] }) { return suite }
        let suite = try OCRASuite(text)
        if suite.isKnownToPhones { remembered.withLock { $0[text] = suite } }
        return suite
    }

    private static let remembered = Mutex<[String: OCRASuite]>([:])

    private var isKnownToPhones: Bool {
        (6...8).contains(digits) && question.format == .hexadecimal && question.length >= 8
            && question.length.isMultiple(of: 2)
            && sessionLength == 64 && !hasCounter && pinHash == nil && timeStep == nil
    }
}
