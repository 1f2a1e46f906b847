import Administration
import ArgumentParser
import Base
import Federation
import Foundation

extension ServicesCommand {
    /// `services stream SERVICE [pause|resume|delete]`: the service's stream of shared signals.
    struct Stream: AdminChange {
        enum Verb: String, ExpressibleByArgument, CaseIterable { case pause, resume, delete }

        static let configuration = CommandConfiguration(
            abstract: "Show a service's stream of shared signals; pause, resume or delete it.",
            discussion: """
                A service makes its stream itself (docs/shared-signals.md). While it is paused events wait; when it is \
                deleted they go to BASE/events again.
                """)
        @Argument(help: "Id or base URL.") var service: String
        @Argument(help: "pause, resume or delete; nothing shows it.") var verb: Verb?
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { verb == .delete ? "Delete the stream of \(service)?" : nil }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let known = try await ServicesCommand.find(service, session)
            let operation = StreamOperation(try session.composition.streams)
            var already: Bool? = false
            switch verb {
            case nil: break
            case .pause:
                already = try await operation.set(
                    known, to: .paused, because: change.reason, in: session.executor)
            case .resume:
                already = try await operation.set(
                    known, to: .enabled, because: change.reason, in: session.executor)
            case .delete:
                guard let shown = try await operation.show(known, in: session.executor) else {
                    throw Stream.missing(known)
                }
                _ = try await operation.delete(known, in: session.executor)
                try await session.audit("services.stream.delete", node: "service:\(known.id)")
                return shown
            }
            guard let already, var shown = try await operation.show(known, in: session.executor) else {
                throw Stream.missing(known)
            }
            guard let verb else { return shown }
            if !already { try await session.audit("services.stream.\(verb.rawValue)", node: "service:\(known.id)") }
            shown["already"] = .bool(already)
            return shown
        }

        private static func missing(_ service: FederationService) -> AdminFailure {
            AdminFailure(.notFound, "\(service.id) has no stream")
        }
    }
}
