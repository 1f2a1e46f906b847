import Base
import Foundation

/// Proof of having seen the screen: TOTP (RFC 6238) with HMAC-SHA-256, eight digits, 30 seconds, from a seed of its own
/// for each operation (protocols/operations.md, 2.3).
public enum ProximityCode {
    public static let step: Int64 = 30

    /// 16 bytes, used as they are.
    public static func freshSeed(_ randomness: Randomness) -> SecretBytes { SecretBytes(randomness.bytes(16)) }

    public static func code(_ seed: SecretBytes, at date: Date) -> String { code(seed, number: number(at: date)) }

    /// Whether `typed` is the code of now or the one before. Constant time; any other length is wrong.
    public static func isRight(_ typed: String, seed: SecretBytes, at date: Date) -> Bool {
        let now = number(at: date)
        let isNow = ConstantTime.equal(code(seed, number: now), typed),
            isBefore = ConstantTime.equal(code(seed, number: max(0, now - 1)), typed)
        return isNow || isBefore
    }

    /// When the code of `date` will be refused.
    public static func expires(at date: Date) -> Date {
        Date(timeIntervalSince1970: TimeInterval((number(at: date) + 2) * step))
    }

    /// For a QR code or a link: `scheme://operation?oid=…&potp=…`. `nil` when `scheme` is none (RFC 3986, 3.1).
    public static func deeplink(scheme: String, operationID: String, code: String) -> String? {
        guard isScheme(scheme) else { return nil }
        return "\(scheme)://operation?oid=\(escaped(operationID))&potp=\(escaped(code))"
    }

    /// The same as a JWT that nobody signed, for QR codes of apps that want one: two parts, as the SDKs' own tests have
    /// it.
    public static func jwt(operationID: String, code: String) -> String {
        CompactJWT.signedText(
            header: ["alg": "none", "typ": "JWT"], claims: ["oid": .string(operationID), "potp": .string(code)])
    }

    /// When the code is another one than that of `date`.
    public static func changes(at date: Date) -> Date {
        Date(timeIntervalSince1970: TimeInterval((number(at: date) + 1) * step))
    }

    /// Counts the steps: within one the code is the same.
    public static func number(at date: Date) -> Int64 { max(0, Int64(date.numericDate) / step) }

    private static func code(_ seed: SecretBytes, number: Int64) -> String {
        let digest = Digest.hmac(key: seed, BigEndian.bytes(number))
        let offset = Int(digest.last.map { $0 & 15 } ?? 0)
        return DecimalCode.text(digest[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }, digits: 8)
    }

    private static func isScheme(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, isLetter(first), text.utf8.count <= 64 else { return false }
        return text.unicodeScalars.allSatisfy {
            isLetter($0) || ("0"..."9").contains($0) || $0 == "+" || $0 == "-" || $0 == "."
        }
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }

    /// All but the unreserved characters (RFC 3986, 2.3).
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte -> String in
            let scalar = Unicode.Scalar(byte)
            if isLetter(scalar) || ("0"..."9").contains(scalar) || scalar == "-" || scalar == "." || scalar == "_"
                || scalar == "~"
            {
                return String(Character(scalar))
            }
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "%0\(digits)" : "%\(digits)"
        }.joined()
    }
}
