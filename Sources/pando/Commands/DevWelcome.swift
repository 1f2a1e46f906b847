import Base
import Foundation

/// What `pando dev` says once it serves: addresses, first credentials, and the demo journey.
struct DevWelcome: Sendable {
    let settings: Settings
    let federation: DemoFederation.Credentials

    func greet(walking: Bool) async {
        let root = settings.root
        var lines = ["", "Pando serves at \(root)", ""]
        lines += ["  home page         \(root)/", "  server metadata   \(root)/.well-known/oauth-authorization-server", "  OpenAPI           \(root)/openapi.yaml"]
        if let port = settings.metricsPort { lines.append("  metrics           http://127.0.0.1:\(port)/metrics") }
        lines += ["", "People of the demo federation:"] + federation.people.map { "  \($0.username)   password \($0.password)" }
        lines += ["", "Look around:", "  .build/release/pando admin accounts list", "  .build/release/pando admin tree show version:\(DemoFederation.app).1", ""]
        FileHandle.standardOutput.write(Data(lines.joined(separator: "\n").utf8))
    }
}
