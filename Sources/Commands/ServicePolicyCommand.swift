import Administration
import ArgumentParser
import Base
import Federation
import Foundation
import OAuth
import TokenTree

extension ServicesCommand {
    /// Which third-party apps a service takes.
    struct Policy: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Show or change which third-party apps a service takes.",
            discussion:
                """
                WORDS are `default open` or `default closed`, for apps that are not named, and `allow`, `deny` or \
                `clear` with bundle ids behind them. What apps hold at a service in the house that it does not take \
                any more ends at once; a service outside is told.
                """)
        @Argument(help: "Id or base URL.") var service: String
        @Argument(help: "default open|closed, allow BUNDLE…, deny BUNDLE…, clear BUNDLE…")
        var words: [String] = []
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? {
            guard let steps = try? Policy.steps(words), steps.contains(where: \.ends) else { return nil }
            return "Change the policy of \(service), and end what apps hold there that it does not take any more?"
        }

        /// What one word and those behind it ask for.
        private enum Step {
            case others(AppPolicy.Others)
            case allow([String]), deny([String]), clear([String])

            var ends: Bool {
                switch self {
                case .others(let others): others == .closed
                case .deny: true
                case .allow, .clear: false
                }
            }
        }

        func validate() throws { _ = try Policy.steps(words) }

        private static func steps(_ words: [String]) throws -> [Step] {
            var rest = words[...], steps: [Step] = []
            while let word = rest.popFirst() {
                if word == "default" {
                    guard let others = rest.popFirst().flatMap({ AppPolicy.Others(rawValue: $0) }) else {
                        throw ValidationError("default takes open or closed")
                    }
                    steps.append(.others(others))
                    continue
                }
                let names = Array(rest.prefix { !["default", "allow", "deny", "clear"].contains($0) })
                rest = rest.dropFirst(names.count)
                guard !names.isEmpty else { throw ValidationError("\(word) takes bundle ids") }
                switch word {
                case "allow": steps.append(.allow(names))
                case "deny": steps.append(.deny(names))
                case "clear": steps.append(.clear(names))
                default: throw ValidationError("\(word) is none of default, allow, deny, clear")
                }
            }
            return steps
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let known = try await ServicesCommand.find(service, session), steps = try Policy.steps(words)
            guard !steps.isEmpty else {
                return Policy.shown(try await AppPolicyStore.find(known.id, in: session.executor), of: known)
            }
            guard known.status != .removed else { throw AdminFailure(.conflict, "\(known.id) was removed") }
            let store = AppPolicyStore(revocation: session.revocation, outbox: try session.composition.outbox)
            var revoked: [JSONValue] = []
            // All who issue to apps at this service wait meanwhile, so all the counting has the time of one.
            let begun = ContinuousClock.now
            let changed = try await store.change(
                known, by: session.actor, in: session.executor,
                ending: { admission in
                    revoked.append(
                        try await RevocationReport.revoke(
                            .virtual(admission), session, realm: known.id,
                            isCounted: .now - begun < .seconds(2)))
                }
            ) { before in
                var policy = before
                for step in steps {
                    switch step {
                    case .others(let others): policy.others = others
                    case .allow(let names): policy.allow(names)
                    case .deny(let names): policy.deny(names)
                    case .clear(let names): policy.clear(names)
                    }
                }
                return policy
            }
            if changed.isNew {
                let entry = AuditEntry(
                    actor: session.actor, action: "services.policy", node: "service:\(known.id)",
                    detail: changed.summary)
                try await AuditTrail.write(entry, at: session.now, in: session.executor)
            }
            var result = Policy.shown(changed.policy, of: known)
            result["already"] = .bool(!changed.isNew)
            if !revoked.isEmpty { result["revoked"] = .array(revoked) }
            if changed.earlier > 0 { result["earlier_tokens"] = .integer(changed.earlier) }
            return result
        }

        private static func shown(_ policy: AppPolicy, of service: FederationService) -> JSONObject {
            var shown: JSONObject = ["service": .string(service.id)]
            for member in policy.json.object ?? [:] { shown[member.name] = member.value }
            return shown
        }
    }

    /// Who is kept out of a service.
    struct Refusals: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "List the people and phones that are kept out of a service.")
        @Argument(help: "Id or base URL.") var service: String
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let known = try await ServicesCommand.find(service, session)
            let parts = list.after.map { $0.split(separator: ":", maxSplits: 1).map(String.init) }
            guard parts?.count ?? 2 == 2 else { throw AdminFailure(.invalid, "--after takes what `next` gave") }
            let found = try await ServiceRefusals.list(
                known.id, after: parts.map { ($0[0], $0[1]) }, limit: list.limit + 1, in: session.executor)
            return .page(
                found, limit: list.limit,
                cursor: { "\($0["kind"]?.string ?? ""):\($0["name"]?.string ?? "")" }, json: { .object($0) })
        }
    }
}
