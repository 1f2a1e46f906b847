import ArgumentParser
import Foundation

/// Runs commands on what the configuration names. The program hands it in, which alone reads configurations.
public struct AdminRunner: Sendable {
    /// Gives `body` a session outside of any transaction, by the operator who says `reason`.
    public typealias Open =
        @Sendable (
            _ options: ConfigurationOptions, _ reason: String?, _ body: (AdminSession) async throws -> Void
        ) async throws -> Void

    /// The command as a server far away runs it.
    public typealias Remote = @Sendable () async throws -> AdminResult

    public let open: Open
    /// `nil` where the options name no server.
    private let remote: @Sendable (AdminOptions) -> Remote?

    public init(open: @escaping Open, remote: @escaping @Sendable (AdminOptions) -> Remote? = { _ in nil }) {
        (self.open, self.remote) = (open, remote)
    }

    public static let onServerOnly = AdminFailure(
        .usage, "this command runs on the server only", hint: "run it there, without --server and PANDO_SERVER")

    /// What the server that the options name tells; `nil` where they name none.
    func remotely(_ options: AdminOptions) async throws -> AdminResult? {
        guard let remote = remote(options) else { return nil }
        return try await remote()
    }

    /// Turns every error into one that scripts can read.
    public func run(
        _ options: AdminOptions, reason: String? = nil, _ body: (AdminSession) async throws -> Void
    ) async throws {
        guard remote(options) == nil else { throw AdminRunner.onServerOnly }
        try await AdminFailure.reporting { try await open(options.configuration, reason, body) }
    }

    /// Only people are asked, where they can answer. Nobody is there in a script: that must have said `--yes`
    /// (docs/design/cli.md, "Manners").
    public static func ask(_ question: String) throws {
        guard isatty(STDIN_FILENO) != 0, isatty(STDERR_FILENO) != 0 else {
            throw AdminFailure(
                .usage, "\(question) Nobody is here to answer, so nothing was changed.",
                hint: "--yes does it; --dry-run tells what it would do, and what would end")
        }
        FileHandle.standardError.write(Data("\(question) [y/N] ".utf8))
        guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
            throw AdminFailure(.failed, "nothing was changed")
        }
    }
}

extension AdminFailure {
    /// Errors of `body` in the words of the command line; what ArgumentParser says itself stays.
    public static func reporting(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let failure as ValidationError {
            throw failure
        } catch let exit as ExitCode {
            throw exit
        } catch {
            throw AdminFailure(error)
        }
    }
}
