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
    private let terminal: @Sendable () -> Terminal

    /// `terminal`: what stdout is.
    public init(
        terminal: @escaping @Sendable () -> Terminal = { .none },
        remote: @escaping @Sendable (AdminOptions) -> Remote? = { _ in nil }, open: @escaping Open
    ) {
        (self.open, self.remote, self.terminal) = (open, remote, terminal)
    }

    public static let onServerOnly = AdminFailure(
        .usage, "this command runs on the server only", hint: "run it there, without --server and PANDO_SERVER")

    /// Whether the options name a server.
    public func isRemote(_ options: AdminOptions) -> Bool { remote(options) != nil }

    /// Writes what the server that the options name tells; `false` where they name none.
    public func remotely(_ options: AdminOptions, _ write: (AdminResult) throws -> Void) async throws -> Bool {
        guard let remote = remote(options) else { return false }
        try await Terminal.$source.withValue(.init(terminal)) {
            try await AdminOutput.repeated(every: options.watch) { try write(try await remote()) }
        }
        return true
    }

    /// Turns every error into one that scripts can read.
    public func run(
        _ options: AdminOptions, reason: String? = nil, _ body: (AdminSession) async throws -> Void
    ) async throws {
        guard remote(options) == nil else { throw AdminRunner.onServerOnly }
        try await Terminal.$source.withValue(.init(terminal)) {
            try await AdminFailure.reporting {
                try await open(options.configuration, reason) { session in
                    do {
                        try await body(session)
                    } catch let failure as AdminFailure {
                        // Whoever has the database may know every name in it.
                        throw await failure.asking(in: session.database)
                    }
                }
            }
        }
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
