import Pages

/// A page in one of its states, for tests of what holds of every page.
public struct PageSample: Sendable, CustomStringConvertible {
    /// What stands wherever somebody else's words can stand.
    public static let text = "Moodle"

    /// The same, by people who would rather write the page.
    public static let hostile = [
        "\"><script>alert(1)</script>", "' onclick='alert(1)", "</title></h1><img src=x onerror=alert(1)>",
        // To Swift, the quotation mark and its accent are one Character.
        "\"\u{301} autofocus onfocus=alert(1) x=", "<\u{301}script>alert(1)</script>",
        "\"\u{200D} formaction=https://evil.example x=",
        "{{formToken}}", "{{{content}}}", "&quot; onclick=alert(1)", "\u{202E}gnp.exe\u{2066}\u{200F}", "a\0b\r\nc",
    ]

    public let name: String, language: Language, html: String
    /// The address of the one script that the page loads.
    public let script: String?
    /// It is for makers of apps, and in English for everybody.
    public let isEnglishOnly: Bool

    public init(
        _ name: String, _ language: Language, _ html: String, script: String? = nil, isEnglishOnly: Bool = false
    ) {
        (self.name, self.language, self.html) = (name, language, html)
        (self.script, self.isEnglishOnly) = (script, isEnglishOnly)
    }

    public var description: String { "\(name).\(language.rawValue)" }
}
