import Foundation
import HTTPTypes
import Hummingbird
import PandoClient
import SmallService
import TestSupport

/// The small service of the examples, with one fault in front of it.
struct FaultyService: Sendable {
    enum Fault: String, Sendable, CaseIterable {
        case none
        case noDocument, brokenDocument, hidden, foreignEndpoint, deadLink
        case noTokenEndpoint, anySignature, anyAudience, garbageCrashes, plainErrors
        case reuse, unboundTokens, anyScope, widerScope, openProtocol
        case noEvents, anyEvent, deafToEnds, slowToTake
        case cookiesForAll, manyProtocols, hangsUp
        case linkElsewhere, brokenLink, twoProtocols, ignoredScope
        case browsers, browsersWithoutProofs, browsersByStar
    }

    private let fault: Fault
    private let base: String
    private let issuer: String
    private let seen = SeenAssertions()
    private let codes: AskedForTokens

    /// Serves at a free port, trusting `issuer`, as long as `body` runs.
    static func with<Result: Sendable>(
        _ fault: Fault, trusting issuer: String, codes: AskedForTokens = AskedForTokens(),
        _ body: @escaping @Sendable (String) async throws -> Result
    ) async throws -> Result {
        let port = try await LiveServer.freePort(), base = "http://127.0.0.1:\(port)"
        return try await Transport.withAsyncHTTPClient { transport in
            let small = try SmallService(issuer: issuer, base: base, transport: transport)
            let faulty = FaultyService(fault: fault, base: base, issuer: issuer, codes: codes)
            return try await faulty.serving(small.router().buildResponder(), at: port) { try await body(base) }
        }
    }

    private init(fault: Fault, base: String, issuer: String, codes: AskedForTokens) {
        (self.fault, self.base, self.issuer, self.codes) = (fault, base, issuer, codes)
    }

    private func serving<Result: Sendable>(
        _ small: some HTTPResponder<BasicRequestContext>, at port: Int,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let (running, continuation) = AsyncStream<Void>.makeStream()
        let responder = CallbackResponder<BasicRequestContext> { request, context in
            var request = request
            let body = String(buffer: try await request.collectBody(upTo: 1 << 20))
            if let answer = try await self.answer(request, body) { return answer }
            return self.changed(try await small.respond(to: request, context: context), to: Form(body))
        }
        let application = Application(
            responder: responder, configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { _ in continuation.yield() }, logger: .quiet)
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                defer { continuation.finish() }
                try await application.run()
                return nil
            }
            defer { group.cancelAll() }
            for await _ in running { return try await body() }
            for try await _ in group {}
            throw CancellationError()
        }
    }

    /// What the fault answers in the service's place.
    private func answer(_ request: Request, _ body: String) async throws -> Response? {
        switch (request.method, request.uri.path) {
        case (.get, "/"), (.get, "/rsd"): document()
        case (.post, "/token"): try await token(Form(body), request)
        case (.post, "/events"): event(body)
        case (.options, _): preflight(request)
        case (.get, "/greeting") where fault == .brokenLink: Response(status: .internalServerError)
        case (.get, "/greeting") where fault == .ignoredScope && request.headers[.authorization] == "DPoP notes":
            FaultyService.json(.ok, ["greeting": "Hello, whoever!"])
        case (.get, "/greeting") where fault == .openProtocol && request.headers[.authorization] != nil:
            FaultyService.json(.ok, ["greeting": "Hello, whoever!"])
        default: nil
        }
    }

    /// Whoever asks may.
    private func preflight(_ request: Request) -> Response? {
        var headers: HTTPFields = [.accessControlAllowOrigin: request.headers[.origin] ?? "*"]
        switch fault {
        case .cookiesForAll: headers[.accessControlAllowCredentials] = "true"
        case .browsers: headers[.accessControlAllowHeaders] = "Content-Type, Authorization, DPoP"
        case .browsersWithoutProofs: headers[.accessControlAllowHeaders] = "content-type, authorization"
        case .browsersByStar: headers[.accessControlAllowHeaders] = "*"
        default: return nil
        }
        return Response(status: .noContent, headers: headers)
    }

    private func document() -> Response? {
        switch fault {
        case .linkElsewhere:
            FaultyService.json(
                .ok, described(["org.ietf.oauth2": base, "org.example.greetings": issuer + "/jwks.json"]))
        case .twoProtocols, .ignoredScope:
            FaultyService.json(
                .ok,
                described([
                    "org.ietf.oauth2": base, "org.example.greetings": base + "/greeting",
                    FaultyService.second: base + "/notes",
                ]))
        case .noDocument:
            Response(
                status: .ok, headers: [.contentType: "text/html"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "<html><title>Learn</title></html>")))
        case .brokenDocument:
            Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: #"{"engineName": "Learn", "apis": {"#)))
        case .hidden: FaultyService.json(.ok, described(["org.example.greetings": base + "/greeting"]))
        case .foreignEndpoint:
            FaultyService.json(
                .ok,
                described(["org.ietf.oauth2": "http://127.0.0.1:1025", "org.example.greetings": base + "/greeting"]))
        case .manyProtocols:
            FaultyService.json(
                .ok,
                described(
                    (0..<150).reduce(into: ["org.ietf.oauth2": base]) { $0["org.example.p\($1)"] = base + "/greeting" })
            )
        case .deadLink:
            FaultyService.json(
                .ok, described(["org.ietf.oauth2": base, "org.example.greetings": "http://127.0.0.1:1025/greeting"]))
        default: nil
        }
    }

    private func described(_ links: [String: String]) -> JSON {
        [
            "engineName": "Greetings", "engineLink": .string(base), "homePageLink": .string(base),
            "apis": .object(links.mapValues { ["apiLink": .string($0)] }),
        ]
    }

    private func token(_ form: Form, _ request: Request) async throws -> Response? {
        guard let text = form["assertion"] else {
            if form["code"] != nil { await codes.count() }
            return code(form)
        }
        let assertion = try? JWT(text)
        switch fault {
        case .noTokenEndpoint: return Response(status: .notFound)
        case .garbageCrashes: return assertion == nil ? Response(status: .internalServerError) : nil
        case .plainErrors: return assertion == nil ? Response(status: .badRequest) : nil
        case .anySignature:
            let isForIt = assertion?.audiences == [base + "/token"] && assertion?.claims["iss"]?.string == issuer
            return isForIt ? FaultyService.granted : nil
        case .anyAudience:
            // A signature is there, and for whom it is nobody looked.
            let isForAnother = assertion.map { $0.audiences != [base + "/token"] && $0.keyID != nil } ?? false
            return isForAnother ? FaultyService.granted : nil
        case .reuse:
            let isProven = request.headers[SmallHeader.proof] != nil
            return isProven ? (await seen.isNew(text) ? nil : FaultyService.granted) : nil
        default: return nil
        }
    }

    private func code(_ form: Form) -> Response? {
        if fault == .noTokenEndpoint { return Response(status: .notFound) }
        if form["code"] != nil, form["scope"] == FaultyService.second { return FaultyService.another }
        if form["code"] != nil, fault == .hangsUp {
            struct HungUp: Error {}
            return Response(status: .ok, body: ResponseBody(contentLength: 10) { _ in throw HungUp() })
        }
        guard form["code"] != nil, fault == .anyScope, form["scope"] != "org.example.greetings" else { return nil }
        return FaultyService.granted
    }

    private func event(_ body: String) -> Response? {
        switch fault {
        case .noEvents: return Response(status: .notFound)
        case .anyEvent: return Response(status: .accepted)
        case .slowToTake: return Response(status: .internalServerError)
        case .deafToEnds:
            let event = try? JWT(body)
            let isEnd = event?.claims["events"]?["urn:pando:event:ended"] != nil && event?.keyID != nil
            return isEnd && event?.audiences == [base] ? Response(status: .accepted) : nil
        default: return nil
        }
    }

    /// What the fault makes of the service's own answer.
    private func changed(_ answer: Response, to form: Form) -> Response {
        switch fault {
        case .unboundTokens where answer.status == .ok && form["assertion"] != nil: FaultyService.granted
        case .widerScope where answer.status == .ok && form["code"] != nil: FaultyService.wide
        default: answer
        }
    }

    private static let granted = json(
        .ok, ["access_token": "opaque", "token_type": "Bearer", "expires_in": 60])
    /// A protocol that the small service does not have.
    private static let second = "org.example.notes"
    private static let another = json(
        .ok, ["access_token": "notes", "token_type": "DPoP", "expires_in": 60, "scope": .string(second)])
    private static let wide = json(
        .ok,
        [
            "access_token": "opaque", "token_type": "DPoP", "expires_in": 60,
            "scope": "org.example.greetings org.example.everything",
        ])

    private static func json(_ status: HTTPResponse.Status, _ value: JSON) -> Response {
        let bytes = (try? value.bytes()) ?? []
        return Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

/// Texts that were shown.
private actor SeenAssertions {
    private var texts: Set<String> = []

    func isNew(_ text: String) -> Bool { texts.insert(text).inserted }
}

/// How often a token for an app was asked for.
actor AskedForTokens {
    private(set) var times = 0

    func count() { times += 1 }
}

/// Members of a form.
private struct Form {
    private let members: [String: String]

    init(_ body: String) {
        var parts = URLComponents()
        parts.percentEncodedQuery = body
        members = Dictionary((parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { $1 }
    }

    subscript(name: String) -> String? { members[name] }
}

private enum SmallHeader {
    static var proof: HTTPField.Name { HTTPField.Name("DPoP") ?? .cookie }
}
