import OCRA

extension OCRASuite {
    /// What both tiqr apps compute rightly and the back office may choose (design/backoffice.md, Identifiers): six to
    /// eight digits, an even number of hexadecimal digits as question, and a session that is written `S064`.
    public var isOffered: Bool { isKnownToPhones && text.hasSuffix("-S064") }

    /// The same, and the bare `S` that other tiqr servers gave to their phones.
    public var isImportable: Bool { isKnownToPhones }

    private var isKnownToPhones: Bool {
        (6...8).contains(digits) && question.format == .hexadecimal && question.length >= 8
            && question.length.isMultiple(of: 2)
            && sessionLength == 64 && !hasCounter && pinHash == nil && timeStep == nil
    }
}
