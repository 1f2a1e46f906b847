import Foundation

/// A decimal number as a parameter spells it: sign, at most 20 digits, and at most 12 behind the point. Nothing of it
/// is ever rounded.
struct Amount: Sendable {
    let decimal: Decimal
    /// Digits behind the point, as written.
    let scale: Int
    let text: String

    init?(_ text: String) {
        guard text.utf8.count <= 34, text.wholeMatch(of: #/-?[0-9]{1,20}(\.[0-9]{1,12})?/#) != nil,
            let decimal = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
        else { return nil }
        self.decimal = decimal
        scale = text.split(separator: ".").dropFirst().first?.utf8.count ?? 0
        self.text = text
    }
}

/// An amount in words for one language (protocols/operations.md, 1.3: `amountFormatted`, `currencyFormatted`,
/// `valueFormatted`).
///
/// At least the currency's own digits behind the point, and all that the amount has: what is shown is what is signed.
/// Blanks that do not break are U+00A0 throughout: Foundation's narrow one (U+202F) comes and goes with its version,
/// and old fonts lack it.
struct FormattedAmount: Sendable, Equatable {
    let amount: String
    let currency: String
    let value: String

    init(_ amount: Amount, currency: String, locale: Locale) {
        let isCode = currency.wholeMatch(of: #/[A-Za-z]{3}/#) != nil, code = currency.uppercased()
        let digits = max(isCode ? CurrencyDigits.of(code) : 0, amount.scale),
            precision: NumberFormatStyleConfiguration.Precision = .fractionLength(digits)
        let number = FormattedAmount.plain(
            Decimal.FormatStyle(locale: locale).precision(precision).format(amount.decimal))
        self.amount = number
        guard isCode else {
            (self.currency, value) = (currency, "\(number)\u{A0}\(currency)")
            return
        }
        let style = Decimal.FormatStyle.Currency(code: code, locale: locale)
        value = FormattedAmount.plain(style.precision(precision).format(amount.decimal))
        // What stands beside a nought is the currency.
        let nought: NumberFormatStyleConfiguration.Precision = .fractionLength(0)
        let symbol = String(
            style.precision(nought).format(0).filter {
                !$0.isNumber && !$0.isWhitespace && !FormattedAmount.marks.contains($0)
            })
        self.currency = symbol.isEmpty ? code : symbol
    }

    private static let marks: Set<Character> = ["\u{200E}", "\u{200F}", "\u{61C}"]

    private static func plain(_ text: String) -> String { text.replacing("\u{202F}", with: "\u{A0}") }
}

/// Digits behind the point where they are not two (ISO 4217).
enum CurrencyDigits {
    private static let others: [String: Int] = [
        "BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0, "RWF": 0, "UGX": 0,
        "UYI": 0, "VND": 0, "VUV": 0,
        "XAF": 0, "XOF": 0, "XPF": 0, "BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3, "CLF": 4,
        "UYW": 4,
    ]

    static func of(_ code: String) -> Int { others[code] ?? 2 }
}
