import Accounts
import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Of a page that waits for a phone.
extension Reply {
    /// The link that the QR code shows.
    var phoneLink: String {
        body.firstMatch(of: #/href="(tiqr(?:auth|enroll):[^"]*)"/#).map { String($0.1).replacing("&amp;", with: "&") }
            ?? ""
    }

    /// Where it listens.
    var events: String {
        body.firstMatch(of: #/data-events="([^"]*)"/#).map { String($0.1).replacing("&amp;", with: "&") } ?? ""
    }

    var attempt: String { body.firstMatch(of: #/attempt=([A-Za-z0-9_\-]{43})/#).map { String($0.1) } ?? "" }

    /// Itself.
    var waitPath: String {
        (events.isEmpty ? "/login/tiqr/wait" : String(events.prefix { $0 != "?" }).replacing("/events", with: "/wait"))
            + "?attempt=" + attempt
    }

    /// Where a redirect leads, below the issuer.
    var place: String { (self[header: "Location"] ?? "").replacing(ServerParts.root, with: "") }

    /// Hidden or not, of the first form.
    func fields(_ action: String) -> [(String, String)] { Browser.form(self, action: action).fields }
}

extension Browser {
    /// The page that waits, of a login with a phone that begins here.
    func beginWithPhone(_ path: String = "/login/tiqr?return_to=/account") async throws -> Reply {
        let page = try await follow(try await open(.get, path)).page
        return try #require(page)
    }

    /// Logged in with the password, on the account page.
    func logInWithPassword(as account: Account) async throws {
        let place = try await goOn(try await follow(try await open(.get, "/account")), as: account.username)
        try #require(place.page?.status == 200, "password: \(place)")
    }

    /// Logged in with this phone, without a name or a password.
    func logInWithPhone(_ identity: PhoneIdentity) async throws {
        let page = try await beginWithPhone()
        let isIn = try await TiqrPhone(server).logsIn(page.phoneLink, identity)
        let done = try await open(.get, page.waitPath)
        try #require(isIn && done.place == "/account", "phone: \(isIn) \(done.status)")
    }

    /// Whom the account page greets; `nil` when it wants a login.
    func whoIsIn() async throws -> String? {
        let page = try await open(.get, "/account")
        return page.status == 200
            ? page.body.firstMatch(of: #/n-[0-9a-f]{8}-[0-9a-f]{4}(?=@)/#).map { String($0.0) } ?? "" : nil
    }
}
