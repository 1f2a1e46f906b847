import Base
import Testing

@Suite("texts that are made at random")
struct RandomnessTests {
    /// Without care the first letter of these bytes is `-` (62 of 64) or `_`.
    private static let worst = (0xF8...0xFF).map { first in
        Randomness { [UInt8(first)] + [UInt8](repeating: 0xFF, count: $0 - 1) }
    }

    @Test("identifiers and secrets begin with a letter, never with a hyphen", arguments: worst.indices)
    func letters(index: Int) {
        let randomness = RandomnessTests.worst[index]

        #expect(randomness.identifier().first?.isLetter == true && randomness.identifier().count == 22)
        #expect(randomness.secretText().first?.isLetter == true && randomness.secretText().count == 43)
    }
}
