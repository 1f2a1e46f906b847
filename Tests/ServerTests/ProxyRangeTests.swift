import Testing

@testable import Server

@Suite("Whose word on a client's certificate is taken")
struct ProxyRangeTests {
    private func transport(_ settings: [String: String]) async throws -> TransportSettings {
        try TransportSettings(try await ConfigurationValues(flags: settings, environment: [:]))
    }

    @Test(
        "a certificate in a header is not believed from a wide range, whatever else is trusted",
        arguments: [
            "172.16.0.0/12", "10.0.0.0/8", "0.0.0.0/0", "192.168.0.0/23", "126.0.0.0/7", "fd00::/8", "::/0",
            "2001:db8::/63", "true-ish,10.0.0.5",
            "10.0.0.5,172.16.0.0/12",
        ])
    func wide(ranges: String) async throws {
        let error = await #expect(throws: Settings.Unacceptable.self) {
            _ = try await transport(["trusted-proxy": ranges, "client-certificate-header": "Client-Cert"])
        }

        #expect(error?.description.contains("trusted-proxy") == true)
        guard !ranges.hasPrefix("true") else { return }
        for word in ["client-certificate-header", "Client-Cert", "own addresses", "/24", "/64", "true"] {
            #expect(error?.description.contains(word) == true, "\(word)")
        }
        _ = try await transport(["trusted-proxy": ranges])
    }

    @Test(
        "it is from this machine, and from ranges of one segment",
        arguments: [
            "true", "127.0.0.0/8", "127.0.0.1", "::1", "10.0.0.5", "10.0.0.5,10.0.0.6", "192.168.7.0/24",
            "fd00:1:2:3::/64", "172.31.254.1",
        ])
    func narrow(ranges: String) async throws {
        #expect(
            try await transport(["trusted-proxy": ranges, "client-certificate-header": "Client-Cert"]).takesCertificates
        )
    }
}
