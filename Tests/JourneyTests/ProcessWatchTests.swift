import Administration
import Base
import Foundation
import HTTP
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
        #expect(!page.contains("\npando_tls_certificate_end_timestamp_seconds "), "it speaks no TLS")
    }

    @Test("the end of the server's own certificate is that of the one that is shown now")
    func certificate() async throws {
        let server = try TestServer.ofSuite, authority = try TestAuthority("root")
        func security(_ leaf: TestCertificate) throws -> TransportSecurity {
            try TransportSecurity(
                certificates: leaf.pem + authority.own.pem, key: leaf.keyPEM, authorities: nil, clock: .system)
        }
        let end = Date(timeIntervalSince1970: 1_893_456_000)
        let held = try security(try authority.issue("server", until: end))
        let watch = ProcessWatch(
            registry: PrometheusRegistry(), composition: server.parts.composition, security: held)

        let before = await watch.page(.prometheus)
        held.adopt(try security(try authority.issue("server")))
        let after = await watch.page(.prometheus)

        #expect(before.contains("\npando_tls_certificate_end_timestamp_seconds 1893456000.0\n"))
        #expect(after.contains("\npando_tls_certificate_end_timestamp_seconds 4102444800.0\n"))
    }
}
