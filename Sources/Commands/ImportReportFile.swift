import Administration
import Base
import Foundation
import OAuth

/// What became of each line, as JSON Lines. Only its owner may read it, as links that set passwords stand in it.
struct ImportReportFile {
    private let handle: FileHandle

    /// A new one: none is written over.
    init(_ path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard file >= 0 else {
            throw AdminFailure(.invalid, "\(path) cannot be made", hint: "--report names a file that is not there yet")
        }
        handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    }

    func write(_ outcome: DirectoryImport.Outcome, link: String?) throws {
        var members = ImportReportFile.line(outcome).object ?? [:]
        if let link { members["link"] = .string(link) }
        try handle.write(contentsOf: Data((JSONValue.object(members).text + "\n").utf8))
    }

    static func line(_ outcome: DirectoryImport.Outcome) -> JSONValue {
        var members: JSONObject = ["outcome": .string(outcome.kind.rawValue)]
        members["line"] = outcome.line.map(JSONValue.integer)
        members["username"] = outcome.username.map(JSONValue.string)
        members["account"] = outcome.person.map { .string($0.name) }
        members["reason"] = outcome.reason.map(JSONValue.string)
        return .object(members)
    }
}
