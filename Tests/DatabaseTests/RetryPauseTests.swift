import Database
import Testing

@Suite("When a row is tried again")
struct RetryPauseTests {
    @Test(
        "the pause doubles with each failure up to the longest, give or take a quarter",
        arguments: [
            (0, 2.0), (1, 4), (2, 8), (4, 32), (5, 60), (6, 60), (1_000, 60), (Int.max, 60), (-1, 2),
        ] as [(Int, Double)])
    func doubling(failures: Int, seconds: Double) {
        let pause = RetryPause(first: 2, longest: 60)

        for _ in 1...100 { #expect((seconds * 0.75...seconds * 1.25).contains(pause.after(failures))) }
    }

    @Test("rows that failed together do not come back together")
    func apart() {
        let pause = RetryPause(first: 2, longest: 60)

        #expect(Set((1...100).map { _ in pause.after(3) }).count > 1)
    }
}
