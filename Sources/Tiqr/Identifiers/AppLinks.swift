import Base
import Database
import HTTP
import Pages

/// How links open the app of a service identifier: its own schemes and universal links where it has some, else those of
/// the settings.
struct AppLinks: Sendable, Equatable {
    let enrollScheme: String?
    let authScheme: String?
    /// An origin that the app owns, without slash at the end.
    let base: String?

    static let ofSettings = AppLinks(enrollScheme: nil, authScheme: nil, base: nil)

    init(enrollScheme: String?, authScheme: String?, base: String?) {
        (self.enrollScheme, self.authScheme, self.base) = (enrollScheme, authScheme, base)
    }

    /// Of row `x`, which has an identifier; without a join, so that statements may lock what they read.
    static let columns: SQL = """
        (select app.enroll_scheme from tiqr_identifier app where app.identifier = x.identifier) as enroll_scheme,
        (select app.auth_scheme from tiqr_identifier app where app.identifier = x.identifier) as auth_scheme,
        (select app.link_base from tiqr_identifier app where app.identifier = x.identifier) as link_base
        """

    init(_ row: Row) throws(DatabaseError) {
        self.init(
            enrollScheme: try row("enroll_scheme"), authScheme: try row("auth_scheme"), base: try row("link_base"))
    }

    /// Both apps insist on the path, iOS on its last slash too; the host is the app's.
    static func check(base: String) throws(TiqrRefusal) {
        guard let address = WebAddress(base), base.hasPrefix("https://"), address.origin == base else {
            throw .invalidRequest(
                "link_base is https and a host that the app owns, without path: /tiqrenroll/ and /tiqrauth/ follow")
        }
    }

    func check() throws(TiqrRefusal) {
        guard (enrollScheme == nil) == (authScheme == nil) else {
            throw .invalidRequest("schemes come in pairs: for enrolling, and for logging in")
        }
        // Pages link to an app only, never to what a browser opens itself.
        func opensApp(_ scheme: String) -> Bool {
            scheme.isAppScheme && Pages.ShownText.appLink("\(scheme)://app") != nil
        }
        guard [enrollScheme, authScheme].allSatisfy({ $0.map(opensApp) ?? true }) else {
            throw .invalidRequest("a scheme is that of an app, such as eduidenroll")
        }
        if let base { try AppLinks.check(base: base) }
    }
}
