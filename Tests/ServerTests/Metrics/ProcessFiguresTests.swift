import Foundation
import Testing

@testable import Server

@Suite("figures of the process")
struct ProcessFiguresTests {
    private static let machine = "cpu  1 2 3\nbtime 1700000000\nprocesses 4\n"

    @Test("the fields of proc(5) are found behind a name with blanks and parentheses")
    func fields() throws {
        let stat = "42 (pando) x (y) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20 0 17 0 1200 4096 3 18446744073709551615 1"

        let figures = try #require(ProcessFigures(stat: stat, machine: Self.machine))

        let ticks = Double(sysconf(Int32(_SC_CLK_TCK))), page = Double(sysconf(Int32(_SC_PAGESIZE)))
        #expect(figures.cpuSeconds == 300 / ticks && figures.threads == 17)
        #expect(figures.startSeconds == 1_700_000_000 + 1200 / ticks)
        #expect(figures.virtualBytes == 4096 && figures.residentBytes == 3 * page)
    }

    @Test("what is no such file gives nothing", arguments: ["", "42", "42 (pando) S 1 2", "42 pando S 1"])
    func malformed(_ stat: String) {
        #expect(ProcessFigures(stat: stat, machine: Self.machine) == nil)
        #expect(ProcessFigures(stat: stat, machine: "") == nil)
    }

    @Test("of this process there are some")
    func here() throws {
        let figures = try #require(ProcessFigures.read())

        #expect(figures.residentBytes > 0 && figures.virtualBytes > figures.residentBytes && figures.threads >= 1)
        #expect(figures.startSeconds < Date().timeIntervalSince1970)
        let (open, most) = (try #require(ProcessFigures.openDescriptors), try #require(ProcessFigures.mostDescriptors))
        #expect(open > 0 && open <= most)
    }
}
