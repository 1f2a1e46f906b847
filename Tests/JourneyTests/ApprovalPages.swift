import Accounts
import Base
import Foundation
import TestSupport
import Testing

/// Of a page that waits for an app to approve.
extension Reply {
    /// The link that the QR code is.
    var approvalLink: String {
        body.firstMatch(of: #/href="(pando:[^"]*)"/#).map { String($0.1).replacing("&amp;", with: "&") } ?? ""
    }

    /// What can be typed, or is to be compared.
    var shownCode: String { body.firstMatch(of: #/<p class="code shown">([^<]*)</#).map { String($0.1) } ?? "" }
}

extension Browser {
    static let approval = "/login/approval?return_to=/account"
}

extension PowerAuthPhone {
    /// Logs its person in with that browser, without a name or a password.
    mutating func logsIn(_ browser: Browser) async throws {
        let page = try await browser.beginWithPhone(Browser.approval),
            reply = try await approve(link: page.approvalLink)
        let done = try await browser.open(.get, page.waitPath)
        try #require(reply.isOK && done.place == "/account", "approval: \(reply.outcome) \(done.status)")
    }
}
