import Base
import Crypto
import Foundation
import HTTPTypes
import Testing

/// A tiqr phone as the apps of either system behave, or a client of protocol 1 (protocols/tiqr.md, 1.2, 1.3 and 1.7).
public struct TiqrPhone: Sendable {
    public enum System: String, Sendable, CaseIterable { case ios, android, legacy }

    public let server: TestServer
    public let system: System
    /// Type and address for pushes; `nil`: no permission, no such services on the phone.
    public var push: (type: String, address: String)?

    public init(
        _ server: TestServer, _ system: System = .ios,
        push: (type: String, address: String)? = ("APNS", String(repeating: "A1B2C3D4", count: 8))
    ) {
        (self.server, self.system, self.push) = (server, system, push)
    }

    // MARK: Enrolling

    /// An enrollment between reading the metadata and sending the secret.
    public struct Pending: Sendable {
        public let metadata: JSONValue
        public let secret: [UInt8]
        public init(metadata: JSONValue, secret: [UInt8]) { (self.metadata, self.secret) = (metadata, secret) }

        public var enrollmentURL: String { metadata["service"]?["enrollmentUrl"]?.string ?? "" }

        public var identity: PhoneIdentity {
            let service = metadata["service"]
            return PhoneIdentity(
                name: metadata["identity"]?["identifier"]?.string ?? "",
                identifier: service?["identifier"]?.string ?? "",
                suite: service?["ocraSuite"]?.string ?? "",
                authenticationURL: service?["authenticationUrl"]?.string ?? "", secret: secret)
        }
    }

    /// The answer to the GET of what stands behind `tiqrenroll://`.
    public func fetchMetadata(_ link: String) async throws -> Reply {
        try #require(link.hasPrefix("tiqrenroll://"), "no enrollment link: \(link)")
        let url = String(link.dropFirst("tiqrenroll://".count))
        return try await server.get(
            TiqrPhone.path(url), headers: system == .android ? [.accept: "application/json", .tiqrVersion: "2"] : [:])
    }

    public func readMetadata(_ link: String) async throws -> Pending {
        let reply = try await fetchMetadata(link)
        try #require(reply.status == 200, "metadata: \(reply.body)")
        for name in [
            "displayName", "identifier", "logoUrl", "infoUrl", "authenticationUrl", "ocraSuite", "enrollmentUrl",
        ] {
            try #require(reply.json["service"]?[name]?.string != nil, "metadata lacks \(name)")
        }
        return Pending(metadata: reply.json, secret: Randomness.system.bytes(32))
    }

    public func register(_ pending: Pending, changes: KeyValuePairs<String, String?> = [:]) async throws -> Reply {
        let digits = pending.secret.map { String(format: system == .ios ? "%02X" : "%02x", $0) }.joined()
        var form =
            [("secret", digits), ("language", system == .ios ? "en-NL" : "en")] + pushFields + [
                ("operation", "register")
            ]
        TiqrPhone.change(&form, changes)
        return try await post(pending.enrollmentURL, form)
    }

    /// Registers, and whether that is done.
    public func registers(_ pending: Pending) async throws -> Bool { saysYes(try await register(pending)) }

    public func enroll(_ link: String) async throws -> PhoneIdentity {
        let pending = try await readMetadata(link), reply = try await register(pending)
        try #require(saysYes(reply), "register: \(reply.status) \(reply.body)")
        return pending.identity
    }

    // MARK: Logging in

    /// The right one-time password for the challenge in an authentication link.
    public func password(_ link: String, _ identity: PhoneIdentity) -> String { identity.answer(TiqrChallenge(link)) }

    /// `response` instead of the right one; `user` instead of the identity's own name.
    public func answer(
        _ link: String, _ identity: PhoneIdentity, response: String? = nil, user: String? = nil,
        changes: KeyValuePairs<String, String?> = [:]
    ) async throws -> Reply {
        let challenge = TiqrChallenge(link)
        var form =
            [
                ("sessionKey", challenge.session), ("userId", user ?? identity.name),
                ("response", response ?? identity.answer(challenge)),
                ("language", system == .ios ? "en-NL" : "en"),
            ] + pushFields + [("operation", "login")]
        TiqrPhone.change(&form, changes)
        return try await post(identity.authenticationURL, form)
    }

    /// Answers rightly, and whether that logged it in.
    public func logsIn(_ link: String, _ identity: PhoneIdentity) async throws -> Bool {
        saysYes(try await answer(link, identity))
    }

    public func saysYes(_ reply: Reply) -> Bool {
        reply.status == 200
            && (system == .legacy
                ? reply.body == "OK"
                : reply.json["responseCode"] == 1 && reply[header: "X-TIQR-Protocol-Version"] == "2")
    }

    public func post(_ url: String, _ form: [(String, String)]) async throws -> Reply {
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        if system != .legacy { headers[.accept] = "application/json" }
        if system == .android { headers[.tiqrVersion] = "2" }
        return try await server.send(
            .post, TiqrPhone.path(url), headers: headers, body: Array(FormCodec.write(form).utf8))
    }

    private var pushFields: [(String, String)] {
        switch (system, push) {
        case (.ios, _):
            [
                ("notificationType", push?.type ?? "APNS"), ("notificationAddress", push?.address ?? "(null)"),
                ("version", "(null)"),
            ]
        case (_, let push?): [("notificationAddress", push.address), ("notificationType", push.type)]
        default: []
        }
    }

    private static func path(_ url: String) -> String {
        url.hasPrefix(ServerParts.root) ? String(url.dropFirst(ServerParts.root.count)) : url
    }

    /// `nil` takes a field out.
    private static func change(_ form: inout [(String, String)], _ changes: KeyValuePairs<String, String?>) {
        for (name, value) in changes {
            form.removeAll { $0.0 == name }
            if let value { form.append((name, value)) }
        }
    }
}

/// What a phone reads from `tiqrauth://[user@]identifier/session/question/sp/version[?return]`.
public struct TiqrChallenge: Sendable {
    public let user: String?
    public let identifier: String
    public let session: String
    public let question: String
    public let serviceProvider: String
    public let version: String
    public let returnURL: String?

    public init(_ link: String) {
        let halves = link.replacing("tiqrauth://", with: "").split(separator: "?", maxSplits: 1).map(String.init)
        let parts = (halves.first ?? "").split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        func part(_ number: Int) -> String { number < parts.count ? parts[number] : "" }
        let authority = part(0).split(separator: "@", maxSplits: 1).map(String.init)
        (user, identifier) = (authority.count > 1 ? authority[0] : nil, authority.last ?? "")
        (session, question, serviceProvider, version) = (
            part(1), part(2), part(3).removingPercentEncoding ?? "", part(4)
        )
        returnURL = halves.count > 1 ? halves[1].removingPercentEncoding : nil
    }
}

/// An account on a phone.
public struct PhoneIdentity: Sendable {
    public let name: String
    public let identifier: String
    public var suite: String
    public let authenticationURL: String
    public let secret: [UInt8]

    /// RFC 6287 as the apps have it, written apart from the server's: question padded right, session padded left.
    public func answer(_ challenge: TiqrChallenge) -> String {
        let hash = suite.split(separator: "-").dropFirst(2).first ?? "",
            digits = Int(suite.split(separator: ":")[1].split(separator: "-")[2]) ?? 6
        let question = PhoneIdentity.bytes(challenge.question), session = PhoneIdentity.bytes(challenge.session)
        var message = Array(suite.utf8) + [0]
        message += question + [UInt8](repeating: 0, count: max(0, 128 - question.count))
        message += [UInt8](repeating: 0, count: max(0, 64 - session.count)) + session
        let key = SymmetricKey(data: secret)
        let code: [UInt8] =
            switch hash {
            case "SHA256": Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
            case "SHA512": Array(HMAC<SHA512>.authenticationCode(for: message, using: key))
            default: Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
            }
        let start = Int((code.last ?? 0) & 15)
        let number = code[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF
        let text = String(number)
        return (String(repeating: "0", count: max(0, digits - text.count)) + text).suffix(digits).description
    }

    /// As long as the right one.
    public func wrongAnswer(_ challenge: TiqrChallenge) -> String {
        let right = answer(challenge)
        return String(right.dropLast()) + (right.last == "0" ? "1" : "0")
    }

    private static func bytes(_ digits: String) -> [UInt8] {
        let padded = digits.count.isMultiple(of: 2) ? digits : digits + "0"
        return stride(from: 0, to: padded.count, by: 2).compactMap { UInt8(padded.dropFirst($0).prefix(2), radix: 16) }
    }
}

extension HTTPField.Name {
    public static var tiqrVersion: HTTPField.Name { HTTPField.Name("X-TIQR-Protocol-Version") ?? .server }
}
