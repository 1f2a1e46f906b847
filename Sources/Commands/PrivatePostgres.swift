import Foundation
import Server

/// The private cluster behind `deploy/postgres.sh`.
public struct PrivatePostgres {
    let directory: String

    public init(directory: String) { self.directory = directory }

    /// Starts it and gives its connection string.
    public func start() throws -> String {
        _ = try script("start")
        return try url()
    }

    public func url() throws -> String { try script("url").trimmingCharacters(in: .whitespacesAndNewlines) }

    public func stop() { _ = try? script("stop") }

    private func script(_ verb: String) throws -> String {
        let beside = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let candidates =
            ["deploy/postgres.sh"]
            + ["../../deploy/postgres.sh", "../../../deploy/postgres.sh", "../share/pando/postgres.sh"].map {
                beside.appendingPathComponent($0).standardizedFileURL.path
            }
        guard let path = candidates.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
            throw Settings.Unacceptable(
                description: "database: deploy/postgres.sh is not here; set PANDO_DATABASE instead")
        }
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = [path, verb, directory]
        // A server that `start` leaves behind would hold a pipe open for ever; only `url` has something to say.
        process.standardOutput = verb == "url" ? output : FileHandle.standardError
        try process.run()
        let data = verb == "url" ? try output.fileHandleForReading.readToEnd() ?? Data() : Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Settings.Unacceptable(
                description: "database: the private PostgreSQL could not \(verb); see the lines above")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
