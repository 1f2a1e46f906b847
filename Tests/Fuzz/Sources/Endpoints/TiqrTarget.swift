import Base
import Harness

@testable import Tiqr

/// What tiqr reads of strangers: the query of a universal link, and the forms of phones. An input is one of either, and
/// taken for both.
enum TiqrTarget {
    static let target = Target("tiqr", run: run)

    private static let base = certain("the base is an address") { () throws -> WebAddress in
        guard let base = WebAddress(ServerParts.tiqrBase) else { throw Wire.Away() }
        return base
    }
    /// protocols/tiqr.md, 1.6.
    private static var form: Regex<Substring> {
        #/tiqrauth:\/\/(?:[A-Za-z0-9._~\-]+@)?[a-z0-9.\-]+\/[0-9A-Fa-f]{16,128}\/[0-9A-Fa-f]{8,64}\/[a-z0-9.\-]+\/2/#
    }

    private static func run(_ input: [UInt8]) {
        guard let fields = try? FormCodec.read(input) else { return }
        enrollment(fields)
        authentication(fields)
        registration(fields)
        login(fields)
    }

    private static func enrollment(_ query: [String: String]) {
        guard let link = TiqrLanding.enrollment(query: query, base: base, scheme: "tiqrenroll") else { return }
        guard let metadata = query["metadata"], link == "tiqrenroll://" + metadata, let address = WebAddress(metadata)
        else {
            violated("a link is its metadata's: \(link)")
        }
        require(
            address.origin == base.origin && (address.path == base.path || address.path.hasPrefix(base.path + "/")),
            "a link leads below the service: \(link)")
        require(
            link.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"<>\"".utf8.contains($0) },
            "a link is one of a URL's letters: \(link)")
        let again = read(TiqrLink.enrollmentUniversal(metadata: metadata, base: "https://h/"))
        require(
            TiqrLanding.enrollment(query: again, base: base, scheme: "tiqrenroll") == link,
            "the universal form leads to the same link")
    }

    private static func authentication(_ query: [String: String]) {
        guard let link = TiqrLanding.authentication(query: query, scheme: "tiqrauth", isOwn: { _ in true }) else {
            return
        }
        require(link.wholeMatch(of: form) != nil, "a link has the form that phones read: \(link)")
        guard let identifier = query["i"], let session = query["s"], let challenge = query["q"] else {
            violated("nothing is made up")
        }
        require(
            TiqrLanding.authentication(query: query, scheme: "tiqrauth", isOwn: { _ in false }) == nil,
            "a stranger's link is none")
        let again = read(
            TiqrLink.authenticationUniversal(
                identifier: identifier, session: session, challenge: challenge, identity: query["u"], base: "https://h/"
            ))
        require(
            TiqrLanding.authentication(query: again, scheme: "tiqrauth", isOwn: { _ in true }) == link,
            "the universal form leads to the same link")
    }

    private static func registration(_ form: [String: String]) {
        do throws(PhoneRegistration.Malformed) {
            let registration = try PhoneRegistration(form)
            require((32...64).contains(registration.secret.count), "a secret is 32 to 64 bytes")
            require(
                form["secret"].flatMap { Hexadecimal.decode($0) }.map { registration.secret == SecretBytes($0) }
                    == true, "a secret is the one that was sent")
            address(registration.address, form)
        } catch {
            require(!error.description.isEmpty, "a refusal says why")
        }
    }

    private static func login(_ form: [String: String]) {
        guard let login = LoginForm(form) else { return }
        require(
            form["operation"] == "login" && login.response.count <= 64,
            "a login says so, with an answer that can be one")
        require(![login.session, login.identity, login.response].contains(""), "nothing of it is empty")
        address(login.address, form)
    }

    private static func address(_ address: PushAddress?, _ form: [String: String]) {
        guard let address else { return }
        require(
            form["notificationType"] == address.type && form["notificationAddress"] == address.address,
            "an address is the one that was sent")
        require(
            (1...64).contains(address.type.utf8.count) && (1...4_096).contains(address.address.utf8.count),
            "an address has its limits")
        require(!["null", "(null)", "NULL"].contains(address.address), "the word for nothing is no address")
    }

    private static func read(_ url: String) -> [String: String] {
        certain("what was written is read") {
            try FormCodec.read((url.split(separator: "?", maxSplits: 1).last ?? "").utf8)
        }
    }
}
