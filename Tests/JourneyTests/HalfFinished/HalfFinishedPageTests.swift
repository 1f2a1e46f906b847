import Foundation
import Testing

@Suite("Half-finished things: the page")
struct HalfFinishedPageTests {
    /// The test may be built through a symbolic link.
    private static var page: URL {
        URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent().appending(
            path: "../../../docs/half-finished.md"
        ).standardizedFileURL
    }

    @Test("docs/half-finished.md shows the matrix that is tested")
    func matrix() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let parts = text.components(separatedBy: HalfFinishedPage.begin + "\n")
        let shown = parts.count == 2 ? parts[1].components(separatedBy: "\n" + HalfFinishedPage.end)[0] : ""

        #expect(shown == HalfFinishedPage.matrix, "put between the two marks of the page:\n\(HalfFinishedPage.matrix)")
    }
}
