import Administration
import ArgumentParser
import Base
import Database
import Federation
import Foundation
import Keys
import TokenTree

/// `keys …`: signing keys; `keys reseal`: everything that the master key seals; `keys generate`: pairs for others.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Signing keys, and the master key that seals them.",
        subcommands: [List.self, Rotate.self, Revoke.self, Reseal.self, Generate.self])

    struct List: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "List signing keys.")
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            .list(try await KeysCommand.rows(session), next: nil)
        }
    }

    struct Rotate: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Sign with the next key of each algorithm from now on.")
        @Flag(help: "Skip the announcement time of the next key.") var now = false
        @Option(help: ArgumentHelp("Only the key of this algorithm.", valueName: "alg")) var alg: String?
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let keys = try session.composition.keys
            let only = try alg.map { name in
                guard let wanted = SigningAlgorithm(rawValue: name),
                    let algorithm = keys.algorithms.first(where: { $0.isSame(as: wanted) })
                else {
                    throw AdminFailure(
                        .invalid,
                        """
                        \(name) is not among signing-algorithms: \
                        \(keys.algorithms.map(\.rawValue).joined(separator: ", "))
                        """
                    )
                }
                return algorithm
            }
            do {
                let rotation = try await keys.rotate(now: now, only: only, session.executor)
                try await session.audit("keys.rotate")
                return [
                    "active": JSONValue(rotation.active.first), "next": JSONValue(rotation.next.first),
                    "retiring": JSONValue(strings: rotation.retiring),
                    "keys": .array(try await KeysCommand.rows(session)),
                ]
            } catch let failure as SigningKeys.Failure {
                throw AdminFailure(.conflict, failure.description)
            }
        }
    }

    struct Revoke: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "End trust in a key that others may hold, and every token that was issued under it.",
            discussion:
                """
                The next key of its algorithm goes with it, since it lay in the same store; fresh ones take over at \
                once.
                """
        )
        @Argument(help: "As `keys list` shows it; behind -- where it begins with a hyphen.") var kid: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? {
            "Revoke the signing key \(kid) and end every token issued under it, here and at the services?"
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let composition = try session.composition
            let revocation = KeyRevocation(
                keys: composition.keys, revocation: session.revocation, outbox: composition.outbox)
            var became: SigningKeys.Revoked?
            do {
                let report = try await RevocationReport.revoke(.virtual(Ancestor(.signer, kid)), session) {
                    let (key, revoked) = try await revocation.revoke(kid, by: session.actor, in: session.executor)
                    became = key
                    return revoked
                }
                try await session.audit("keys.revoke", node: Ancestor(.signer, kid).label)
                return [
                    "kid": .string(kid), "status": "revoked", "already": .bool(became?.already ?? false),
                    "active": JSONValue(became?.active), "next": JSONValue(became?.next),
                    "also_revoked": JSONValue(strings: became?.kids.filter { $0 != kid } ?? []), "revoked": report,
                    "dry_run": .bool(session.isDryRun),
                ]
            } catch SigningKeys.Failure.unknownKey {
                throw AdminFailure.missing(.signingKey, kid, hint: "`pando admin keys list` shows them")
            }
        }
    }

    /// What counts, and what was revoked.
    private static func rows(_ session: AdminSession) async throws -> [JSONValue] {
        try await SigningKeys.list(session.executor).map {
            [
                "kid": .string($0.kid), "alg": .string($0.alg), "status": .string($0.status.rawValue),
                "created_at": .string($0.createdAt.rfc3339),
                "not_before": .string($0.notBefore.rfc3339),
                "revoked_at": JSONValue($0.status == .revoked ? $0.retireAt?.rfc3339 : nil),
            ]
        }
    }
}
