import Commands
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Server

/// Another process of a test server, which runs only some roles, and asks the issuer where that is.
public struct ProcessApart: Sendable {
    public let composition: Composition
    private let wire: Wire

    /// `roles` as the setting has them.
    public static func with(
        roles: String, beside server: TestServer, _ body: @Sendable (ProcessApart) async throws -> Void
    ) async throws {
        var options = TestServerOptions()
        options.rolesAlone = roles
        let composition = try await Composition(
            try await options.settings(), database: server.database, logger: .quiet, isServing: false,
            clock: server.time.clock, secrets: server.secrets, signing: .init(), http: server.wire.outgoing,
            administration: .ofServer)
        let wire = Wire()
        try await Application(responder: composition.routes().router().buildResponder(), logger: .quiet).test(
            .router
        ) { client in
            wire.connect(client)
            try await body(ProcessApart(composition: composition, wire: wire))
        }
    }

    public func send(
        _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields = [:], body: [UInt8]? = nil
    ) async throws -> Reply {
        try await wire.send(method, path, headers: headers, body: body)
    }
}
