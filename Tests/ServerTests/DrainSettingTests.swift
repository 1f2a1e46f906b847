import HTTP
import Testing

@testable import Server

@Suite("drain-delay")
struct DrainSettingTests {
    private func delay(_ text: String?) async throws -> Duration {
        var flags: [String: String] = [:]
        flags["drain-delay"] = text
        return try Settings(try await ConfigurationValues(flags: flags, environment: [:])).drainDelay
    }

    @Test("five seconds unless told otherwise, five minutes at most")
    func values() async throws {
        #expect(try await delay(nil) == .seconds(5))
        #expect(try await delay("0") == .zero)
        #expect(try await delay("300") == .seconds(300))
        for text in ["-1", "301", "soon", "1.5"] {
            await #expect(throws: UnacceptableSetting.self) { try await delay(text) }
        }
    }
}
