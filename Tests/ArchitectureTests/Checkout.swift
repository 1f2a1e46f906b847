import Foundation

/// The text files of this checkout, without what is built, fetched or made by running it.
struct Checkout: Sendable {
    let files: [TextFile]

    static let here = Checkout(
        root: URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent())

    init(files: [TextFile]) { self.files = files }

    init(root: URL) {
        var files: [TextFile] = []
        var folders = [""]
        while let folder = folders.popLast() {
            let names =
                (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)) ?? []
            for name in names.sorted() where !Self.isLeftOut(name) {
                let path = folder.isEmpty ? name : "\(folder)/\(name)"
                let url = root.appendingPathComponent(path)
                let values = try? url.resourceValues(forKeys: [.isDirectoryKey, .isRegularFileKey, .fileSizeKey])
                if values?.isDirectory == true {
                    folders.append(path)
                } else if values?.isRegularFile == true, values?.fileSize ?? 0 < 1 << 20,
                    let data = try? Data(contentsOf: url), !data.contains(0),
                    let text = String(bytes: data, encoding: .utf8)
                {
                    files.append(TextFile(path: path, text: text))
                }
            }
        }
        self.files = files.sorted { $0.path < $1.path }
    }

    /// As .gitignore has it, and all hidden folders but those of the build machines.
    private static func isLeftOut(_ name: String) -> Bool {
        name == "Package.resolved" || name == "__pycache__" || name == "node_modules"
            || name.hasPrefix(".") && ![".ci", ".github", ".gitignore"].contains(name)
    }

    /// Swift files of the targets proper, `Sources/` and `crawler/`.
    var sources: [TextFile] { files.filter { $0.isSource && $0.isSwift } }
    var tests: [TextFile] { files.filter { $0.path.hasPrefix("Tests/") } }
    var migrations: [TextFile] { files.filter { $0.path.hasPrefix("migrations/") } }
}

struct TextFile: Sendable {
    /// From the top of the checkout, e.g. `Sources/Base/Doc.swift`.
    let path: String
    let text: String
    /// `text` without comments where rules ask for it, in sources and migrations; line for line.
    let code: String

    init(path: String, text: String) {
        self.path = path
        self.text = text
        let isTest = path.hasPrefix("Tests/")
        code =
            isTest
            ? text
            : path.hasSuffix(".swift")
                ? SwiftComments.blankedOut(text) : path.hasSuffix(".sql") ? SQLComments.blankedOut(text) : text
    }

    var folders: [String] { path.split(separator: "/").dropLast().map(String.init) }
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    var base: String { name.split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? name }
    var isSwift: Bool { path.hasSuffix(".swift") }
    var isSource: Bool { path.hasPrefix("Sources/") || path.hasPrefix("crawler/") }

    /// The SwiftPM target that it belongs to; `crawler/` is one by `path:`.
    var target: String? {
        switch folders.first {
        case "crawler": "Crawler"
        case "Sources", "Tests": folders.count > 1 ? folders[1] : nil
        default: nil
        }
    }

    var lineCount: Int {
        text.split(separator: "\n", omittingEmptySubsequences: false).count - (text.hasSuffix("\n") ? 1 : 0)
    }

    /// The modules that it imports, with their lines.
    var imports: [(module: String, line: Int)] {
        let statement = Pattern(
            #"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?"#
                + #"import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias|macro)\s+)?(\w+)"#)
        return statement.hits(in: code).map { (module: $0.captured, line: $0.line) }
    }
}
