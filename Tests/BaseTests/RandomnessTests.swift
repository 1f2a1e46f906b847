import Base
import Foundation
import Testing

@Suite("texts that are made at random")
struct RandomnessTests {
    /// Without care the first letter of these bytes is `-` (62 of 64) or `_`.
    private static let worst = (0xF8...0xFF).map { first in
        Randomness { [UInt8(first)] + [UInt8](repeating: 0xFF, count: $0 - 1) }
    }

    @Test("a UUID says that it is random")
    func uuid() {
        let all = Randomness { [UInt8](repeating: 0xFF, count: $0) },
            none = Randomness { [UInt8](repeating: 0, count: $0) }

        #expect(all.uuid().uuidString == "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF")
        #expect(none.uuid().uuidString == "00000000-0000-4000-8000-000000000000")
    }

    @Test("and is another each time, where no descriptor is left too")
    func withoutDescriptors() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(1) }
            exit(Set((0..<100).map { _ in Randomness.system.uuid() }).count == 100 ? 0 : 2)
        }
    }

    @Test("identifiers and secrets begin with a letter, never with a hyphen", arguments: worst.indices)
    func letters(index: Int) {
        let randomness = RandomnessTests.worst[index]

        #expect(randomness.identifier().first?.isLetter == true && randomness.identifier().count == 22)
        #expect(randomness.secretText().first?.isLetter == true && randomness.secretText().count == 43)
    }
}
