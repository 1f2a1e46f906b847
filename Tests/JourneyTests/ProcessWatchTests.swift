import Administration
import Base
import Foundation
import TestSupport
import Testing

@testable import Server

@Suite("what is measured of a process", .server)
struct ProcessWatchTests {
    @Test("pool, keys, lease, version and process are read when somebody reads the page")
    func read() async throws {
        let server = try TestServer.ofSuite, registry = PrometheusRegistry()
        let watch = ProcessWatch(registry: registry, composition: server.parts.composition)
        // Keys are remembered from their first use on.
        _ = try await server.parts.keys.published()

        try await StatisticStore(database: server.database, clock: server.time.clock).take()

        let page = await watch.page(.prometheus)

        for line in [
            #"\npando_build_info\{version="[^"]+"\} 1\.0\n"#, #"\npando_db_connections_limit [1-9]\d*\.0\n"#,
            #"\npando_db_callers_waiting 0\.0\n"#, #"\npando_lease_age_seconds \d"#,
            #"\npando_signing_key_age_seconds\{algorithm="ES256"\} \d"#, #"\nprocess_resident_memory_bytes [1-9]"#,
            #"\nprocess_open_fds [1-9]"#, #"\nprocess_cpu_seconds_total \d"#,
            #"\npando_tokens_live\{kind="code"\} \d"#,
        ] {
            #expect(page.range(of: line, options: .regularExpression) != nil, "\(line)")
        }
    }
}
