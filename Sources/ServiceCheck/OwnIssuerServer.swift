import Foundation
import HTTPTypes
import Hummingbird
import Logging
import PandoClient

/// The keys and metadata of the check's own issuer, on this machine alone.
public struct OwnIssuerServer: Sendable {
    public let issuer: String
    public let key = SigningKey()
    private let port: Int

    public init(port: Int) { (self.port, issuer) = (port, "http://127.0.0.1:\(port)") }

    /// Serves as long as `body` runs.
    /// - Throws: what `body` throws; where the port is taken, the network's error.
    public func serving<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result
    {
        let (running, continuation) = AsyncStream<Void>.makeStream()
        var quiet = Logger(label: "pando.check")
        quiet.logLevel = .error
        let application = Application(
            router: try router(), configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { _ in continuation.yield() }, logger: quiet)
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                defer { continuation.finish() }
                try await application.run()
                return nil
            }
            defer { group.cancelAll() }
            for await _ in running { return try await body() }
            // It never ran: the error of its task says why.
            for try await _ in group {}
            throw CancellationError()
        }
    }

    private func router() throws -> Router<BasicRequestContext> {
        let router = Router()
        guard case .object(var jwk) = key.jwk else { return router }
        jwk.merge(["kid": .string(key.thumbprint), "alg": "ES256", "use": "sig"]) { $1 }
        let keys = try JSON.object(["keys": [.object(jwk)]]).bytes()
        let metadata = try JSON.object(["issuer": .string(issuer), "jwks_uri": .string(issuer + "/jwks.json")]).bytes()
        router.get("jwks.json") { _, _ in OwnIssuerServer.json(keys) }
        router.get(".well-known/oauth-authorization-server") { _, _ in OwnIssuerServer.json(metadata) }
        return router
    }

    private static func json(_ bytes: [UInt8]) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
