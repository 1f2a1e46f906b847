import Foundation
import Testing

/// README's map, the floors that are held, and the first line of each `Doc.swift` say the same.
enum MapRules {
    struct Place: Hashable, Comparable, CustomStringConvertible {
        /// `nil` beside the floors.
        let floor: Int?
        let target: String

        var description: String { floor.map { "\(target), floor \($0)" } ?? "\(target), beside the floors" }

        static func < (one: Place, other: Place) -> Bool {
            (one.floor ?? .max, one.target) < (other.floor ?? .max, other.target)
        }
    }

    static let held = Set(
        Floors.floors.enumerated().flatMap { floor, targets in targets.map { Place(floor: floor, target: $0) } }
    )
    .union(Floors.beside.map { Place(floor: nil, target: $0) })

    /// Rows of a table: `| 6 | `HTTP` | …`, several targets to a row.
    static func drawn(_ readme: String) -> Set<Place> {
        Set(
            readme.split(separator: "\n").flatMap { line -> [Place] in
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                guard line.hasPrefix("|"), cells.count == 3 else { return [] }
                let floor = Int(cells[0])
                guard floor != nil || cells[0] == "beside" else { return [] }
                // Folders are written in brackets behind the name.
                let names = cells[1].split(separator: "(")[0].split(separator: "`").map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
                return names.filter { !$0.isEmpty }.map { Place(floor: floor, target: $0) }
            })
    }

    /// What the first line of a target's `Doc.swift` says.
    static func documented(_ files: [TextFile]) -> Set<Place> {
        Set(
            files.filter { $0.name == "Doc.swift" }.compactMap { file in
                guard let match = file.text.firstMatch(of: #/^\/\/\/ # ([\w\-]+), (?:floor (\d+)|beside the floors)\n/#)
                else { return nil }
                return Place(floor: match.2.flatMap { Int($0) }, target: String(match.1))
            })
    }
}

@Suite("The map")
struct MapTests {
    @Test("README draws every target on its floor, and none that is not there")
    func readme() throws {
        let readme = try #require(Checkout.here.files.first { $0.path == "README.md" }).text

        #expect(MapRules.drawn(readme).symmetricDifference(MapRules.held).sorted() == [])
    }

    @Test("every target but the C libraries begins its Doc.swift with its name and floor")
    func documents() {
        let expected = MapRules.held.filter { $0.floor != 0 }

        #expect(MapRules.documented(Checkout.here.sources).symmetricDifference(expected).sorted() == [])
    }

    @Test("a row is read with all its targets, without a folder's name")
    func rows() {
        let places = MapRules.drawn(
            """
            | floor | room | owns |\n|---|---|---|\n| 2 | `OCRA` `SocketIO` | a |\n| 5 | `Crawler` (in `crawler/`) | \
            b |\n| beside | `Kit` | d |\n| x | `No` | c |
            """
        )

        #expect(
            places.sorted().map(\.description) == [
                "OCRA, floor 2", "SocketIO, floor 2", "Crawler, floor 5", "Kit, beside the floors",
            ])
    }
}
