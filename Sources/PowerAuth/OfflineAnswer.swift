/// What a person reads from the phone and types: two groups of eight digits (protocols/operations.md, 2.4).
public enum OfflineAnswer {
    /// Under which the phone signs it, where the app names no other.
    public static let uriID = "/operation/authorize/offline"

    /// Stands where an online signature has the application's secret, so that every version of the app is understood.
    static let secret = "offline"

    /// As `FactorSignature.decimal` writes it, however it was typed: blanks and dashes do not count.
    /// `offlineAnswerMalformed` for anything but 16 digits.
    public static func normalized(_ typed: String) throws(PowerAuthRefusal) -> String {
        guard typed.utf8.count <= 128 else { throw .offlineAnswerMalformed }
        let digits = typed.unicodeScalars.filter { !$0.properties.isWhitespace && !$0.properties.isDash }
        guard digits.count == 16, digits.allSatisfy({ ("0"..."9").contains($0) }) else { throw .offlineAnswerMalformed }
        let text = String(String.UnicodeScalarView(digits))
        return "\(text.prefix(8))-\(text.suffix(8))"
    }

    /// What the phone signed: for `FactorSignature.find` with version 3.0. `nonce` is the code's 16 bytes.
    public static func data(
        operationID: String, data: String, totp: String?, nonce: [UInt8], uriID: String = OfflineAnswer.uriID
    ) -> [UInt8] {
        let body = [operationID, data] + (totp.map { [$0] } ?? [])
        return FactorSignature.data(
            method: "POST", uriID: uriID, nonce: Base64Text.encode(nonce),
            body: Array(body.joined(separator: "&").utf8), secret: secret)
    }
}
