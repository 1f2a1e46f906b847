import Hummingbird
import Logging

/// `/metrics` on a port of its own, loopback only: never beside what the world may ask.
struct MetricsListener {
    let port: Int
    let registry: PrometheusRegistry
    let logger: Logger

    var application: some ApplicationProtocol {
        let router = Router()
        let registry = self.registry
        router.get("/metrics") { _, _ in
            Response(status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"], body: .init(byteBuffer: .init(string: registry.page)))
        }
        return Application(responder: router.buildResponder(), configuration: .init(address: .hostname("127.0.0.1", port: port)), logger: logger)
    }
}
