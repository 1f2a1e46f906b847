import Base
import Foundation

/// Results on stdout: JSON for scripts, aligned columns for people, and what else they ask for by `-o`.
public enum AdminOutput {
    /// As `options` ask; `preferred` are the columns that a command thinks people want (`AdminQuery.columns`).
    public static func write(
        _ result: AdminResult, _ options: AdminOptions, preferred: [String] = [], now: Date = Date()
    ) throws {
        let text = ResultText(
            options.format, columns: options.members, sort: options.sort, preferred: preferred,
            terminal: Terminal.current(), now: now)
        let told = try text.text(result)
        // No names are no lines: an empty one would be a name to whoever reads them.
        guard !told.isEmpty || options.format != .name else { return }
        write(told)
    }

    /// Of what has been done already. A column that is none does not make that a failure, nor hide what is told once,
    /// such as a secret: then all of it is told.
    public static func writeDone(_ result: AdminResult, _ options: AdminOptions, now: Date = Date()) throws {
        do { try write(result, options, now: now) } catch let failure as AdminFailure where failure.code == .usage {
            write(try ResultText(options.format, terminal: Terminal.current(), now: now).text(result))
            FileHandle.standardError.write(
                Data("pando: it is done, and told whole: \(failure.description)\n".utf8))
        }
    }

    /// In columns, whatever stdout is.
    public static func write(_ result: AdminResult, json: Bool) {
        guard let text = try? ResultText(json ? .json : .wide).text(result) else { return }
        write(text)
    }

    /// JSON Lines: one value a line.
    public static func writeLines(_ values: [JSONValue]) {
        guard !values.isEmpty else { return }
        FileHandle.standardOutput.write(Data(values.map { $0.text + "\n" }.joined().utf8))
    }

    private static func write(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    /// Again and again until the process is ended, each time on a cleared screen where there is one.
    public static func repeated(every seconds: Int?, _ tell: () async throws -> Void) async throws {
        guard let seconds else { return try await tell() }
        while true {
            if Terminal.current().width != nil {
                FileHandle.standardOutput.write(Data("\u{1B}[H\u{1B}[2J".utf8))
                FileHandle.standardOutput.write(Data("every \(seconds) s, until Ctrl-C\n\n".utf8))
            }
            try await tell()
            try await Task.sleep(for: .seconds(seconds))
        }
    }
}
