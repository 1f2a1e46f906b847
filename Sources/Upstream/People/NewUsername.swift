import Accounts
import Foundation

/// What a new account is called that is made of what a provider says.
enum NewUsername {
    /// `preferred_username`, or what stands before the `@` of the principal name or the address: the first of them that
    /// has letters of ASCII. Of a name with a domain only what is before it: the domain says whose name it is, and the
    /// account knows its institution.
    static func wanted(_ claims: PersonClaims) -> String? {
        let names = [claims.username, claims.principalName, claims.email].compactMap { $0 }
        return names.lazy.compactMap { plain($0) }.first
    }

    private static func plain(_ text: String) -> String? {
        let local = text.prefix { $0 != "@" }.lowercased()
        let letters = local.unicodeScalars.filter {
            ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "." || $0 == "-" || $0 == "_"
        }
        let name = String(String.UnicodeScalarView(letters)).trimmingCharacters(in: CharacterSet(charactersIn: ".-_"))
        guard name.count == local.trimmingCharacters(in: CharacterSet(charactersIn: ".-_")).count, name.count >= 2,
            UUID(uuidString: name) == nil
        else { return nil }
        return name
    }

    /// As an account may have it.
    static func isAddress(_ text: String) -> Bool {
        text.wholeMatch(of: #/[^@\s]{1,64}@[A-Za-z0-9.\-]{1,180}/#) != nil
    }
}
