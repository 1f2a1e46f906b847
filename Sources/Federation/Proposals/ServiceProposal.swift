import Base
import Database
import Foundation

/// A service that somebody proposes, until the federation decides.
public struct ServiceProposal: Sendable {
    public enum Status: String, Sendable, CaseIterable, SQLEncodable, SQLDecodable {
        case proposed, proven, accepted, refused, withdrawn

        public var isOpen: Bool { self == .proposed || self == .proven }
    }

    /// What the service wants to know of people, and what for.
    public struct Wish: Sendable, Equatable {
        public let claim: String
        public let why: String

        public init(claim: String, why: String) { (self.claim, self.why) = (claim, why) }
    }

    /// Where `proof` stands, below the service's base URL.
    public static let place = "/.well-known/pando-federation"

    public let id: String
    /// In one spelling: see `WebAddress`.
    public let base: String
    public let name: String
    /// URL of its document, where it was proposed by that.
    public let rsd: String?
    /// What was read there when it was proposed.
    public let document: JSONValue?
    public let proposer: UUID
    public let proof: String
    public let wishes: [Wish]
    public let status: Status
    public let createdAt: Date
    public let provenAt: Date?
    public let report: JSONValue?
    public let decidedAt: Date?
    public let reason: String?
    /// What it became.
    public let service: String?

    static let columns: SQL = """
        p.id, p.base, p.name, p.proposer, p.proof, p.claims, p.status, p.created_at, p.proven_at, p.report,
            p.decided_at, p.reason, p.service, p.rsd, p.document
        """

    init(_ row: Row) throws {
        (id, base, name, proposer) = (try row("id"), try row("base"), try row("name"), try row("proposer"))
        (proof, status, createdAt) = (try row("proof"), try row("status"), try row("created_at"))
        (provenAt, report) = (try row("proven_at"), try row("report"))
        (rsd, document) = (try row("rsd"), try row("document"))
        (decidedAt, reason, service) = (try row("decided_at"), try row("reason"), try row("service"))
        let stored: JSONValue = try row("claims")
        wishes = (stored.array ?? []).compactMap { wish in
            wish["claim"]?.string.map { Wish(claim: $0, why: wish["why"]?.string ?? "") }
        }
    }

    /// URL of the file by which control is shown.
    public var proofURL: String { base + ServiceProposal.place }

    /// Whether a file shows it: a line of it is the proof.
    public func isShown(by file: [UInt8]) -> Bool {
        String(decoding: file, as: UTF8.self).split(whereSeparator: \.isNewline)
            .contains { ConstantTime.equal(Array($0.trimmingCharacters(in: .whitespaces).utf8), Array(proof.utf8)) }
    }

    public var json: JSONObject {
        [
            "id": .string(id), "base": .string(base), "name": .string(name), "rsd": JSONValue(rsd),
            "proposer": .string(proposer.uuidString.lowercased()), "status": .string(status.rawValue),
            "claims": ServiceProposal.stored(wishes), "proof_url": .string(proofURL), "proof": .string(proof),
            "created_at": .string(createdAt.rfc3339), "proven_at": JSONValue(provenAt?.rfc3339),
            "decided_at": JSONValue(decidedAt?.rfc3339), "reason": JSONValue(reason), "service": JSONValue(service),
        ]
    }

    static func stored(_ wishes: [Wish]) -> JSONValue {
        .array(wishes.map { ["claim": .string($0.claim), "why": .string($0.why)] })
    }
}
