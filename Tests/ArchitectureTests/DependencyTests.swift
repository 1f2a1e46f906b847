import Foundation
import Testing

/// The versions of all packages, those that come along too. `Package.resolved` itself holds commits of where it was
/// made, which need not be those of whoever builds.
enum DependencyRules {
    /// `swift-nio 2.101.2` for each.
    static func resolved(_ json: Data) throws -> Set<String> {
        Set(
            try JSONDecoder().decode(Resolved.self, from: json).pins.map {
                "\($0.identity) \($0.state.version ?? "without a version")"
            })
    }

    static func tested(_ text: String) -> Set<String> {
        Set(text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init))
    }

    private struct Resolved: Decodable {
        let pins: [Pin]

        struct Pin: Decodable {
            let identity: String
            let state: State
        }

        struct State: Decodable {
            let version: String?
        }
    }
}

@Suite("Dependencies")
struct DependencyTests {
    @Test("what is built is what was tested: deploy/dependencies.txt names every version that was resolved")
    func resolved() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let resolved = try DependencyRules.resolved(Data(contentsOf: root.appendingPathComponent("Package.resolved")))
        let list = try String(contentsOf: root.appendingPathComponent("deploy/dependencies.txt"), encoding: .utf8)

        #expect(
            resolved.subtracting(DependencyRules.tested(list)).isEmpty, "resolved, but not in deploy/dependencies.txt")
        #expect(
            DependencyRules.tested(list).subtracting(resolved).isEmpty, "in deploy/dependencies.txt, but not resolved")
    }

    /// What `PandoClient` imports: the packages of those who depend on it may ask for newer ones.
    private static let shared: Set = ["swift-crypto", "swift-nio", "async-http-client"]

    @Test("Package.swift asks for one version of each package, and for no other than the list has")
    func exact() throws {
        let files = Checkout.here.files
        let manifest = try #require(files.first { $0.path == "Package.swift" }).text
        let list = DependencyRules.tested(try #require(files.first { $0.path == "deploy/dependencies.txt" }).text)
        let asked = manifest.matches(of: /\.package\(url: "[^"]*\/([^"\/]+)", (\w+): "([^"]+)"/)

        #expect(asked.count > 10)
        for package in asked {
            #expect(package.2 == (Self.shared.contains(String(package.1)) ? "from" : "exact"), "\(package.1)")
            #expect(list.contains("\(package.1.lowercased()) \(package.3)"), "\(package.1)")
        }
    }

    /// Rooms, and the names that both manifests have for products which many use; other products are spelt in two ways.
    private static func dependencies(_ text: Substring, of rooms: Set<String>) -> Set<String> {
        let shared: Set = ["log", "metrics", "crypto", "nioCore", "httpTypes", "httpClient"]
        return Set(text.matches(of: /\w+/).map { String($0.0) }).intersection(rooms.union(shared))
    }

    @Test("rooms in the package of the fuzz targets are linked there, and stand on what they stand on here")
    func fuzzed() throws {
        let files = Checkout.here.files
        let manifest = try #require(files.first { $0.path == "Package.swift" }).text
        let fuzzed = try #require(files.first { $0.path == "Tests/Fuzz/Package.swift" }).text
        let rooms = fuzzed.matches(of: /room\(\s*"(\w+)",\s*\[([^\]]*)\]/)
        let known = manifest.matches(of: /\.target\(\s*name: "(\w+)",\s*dependencies: \[([^\]]*)\]/)
        let names = Set(known.map { String($0.1) })
        let here = Dictionary(known.map { (String($0.1), Self.dependencies($0.2, of: names)) }) { one, _ in one }

        #expect(rooms.count > 20)
        for room in rooms {
            let name = String(room.1), wanted = try #require(here[name])
            let missing = wanted.subtracting(Self.dependencies(room.2, of: names)).sorted()
            #expect(missing == [], "\(name)")
            let link = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "Fuzz/Sources/\(name)").path
            #expect(FileManager.default.fileExists(atPath: link), "\(link) leads nowhere")
        }
    }

    @Test("versions are read of what SwiftPM writes")
    func bites() throws {
        let json =
            #"{"pins": [{"identity": "a", "state": {"version": "1.2.3"}}, {"identity": "b", "state": {}}]}"#

        #expect(try DependencyRules.resolved(Data(json.utf8)) == ["a 1.2.3", "b without a version"])
        #expect(DependencyRules.tested("# a\na 1.2.3\n") == ["a 1.2.3"])
    }
}
