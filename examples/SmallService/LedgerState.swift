import Foundation
import PandoClient

/// What the ledger knows: the sum of its entries.
struct LedgerState {
    struct Family: Codable, Sendable {
        var id = UUID().uuidString
        let person: String
        let name: String?
        /// The installation, and its key.
        let instance: String
        let instanceKey: JSON
        var app: String?
        var scope: String
        /// Of the key to which its tokens are bound.
        var thumbprint: String?
        var ancestors: Set<String>
        /// An app has one family for the same scopes of the same installation: the newest.
        var slot: String? { app.map { [instance, person, $0, scope].joined(separator: "\n") } }

        /// An ancestor has changed its name.
        mutating func move(_ node: String, _ from: String, _ to: String) {
            guard ancestors.isSuperset(of: [node, from]) else { return }
            ancestors.remove(from)
            ancestors.insert(to)
        }
    }

    struct Token: Codable, Sendable {
        let digest: String
        let family: String
        let isRefresh: Bool
        let expires: Date
    }

    enum Entry: Codable, Sendable {
        case used(String, until: Date)
        case ended(String)
        case moved(node: String, from: String, to: String)
        case opened(Family)
        case issued(Token)
        case taken(String, sequence: Int?)
        case heard(Date)
        case policy(isOpen: Bool, allow: [String], deny: [String])
    }

    var used: [String: Date] = [:]
    private(set) var ended: Set<String> = []
    private(set) var moves: [(node: String, from: String, to: String)] = []
    private(set) var families: [String: Family] = [:]
    private(set) var tokens: [String: Token] = [:]
    private(set) var events: Set<String> = []
    private(set) var position = 0
    private(set) var heard = Date.distantPast
    private var newest: [String: String] = [:]
    private var policy: (isOpen: Bool, allow: [String], deny: [String]) = (true, [], [])

    mutating func apply(_ entry: Entry) {
        switch entry {
        case .used(let id, let until): used[id] = until
        case .ended(let node): ended.insert(node)
        case .moved(let node, let from, let to):
            moves.append((node, from, to))
            for id in families.keys { families[id]?.move(node, from, to) }
        case .opened(let family):
            families[family.id] = family
            if let slot = family.slot { newest[slot] = family.id }
        case .issued(let token): tokens[token.digest] = token
        case .taken(let id, let sequence):
            events.insert(id)
            position = max(position, sequence ?? 0)
        case .heard(let date): heard = max(heard, date)
        case .policy(let isOpen, let allow, let deny): policy = (isOpen, allow, deny)
        }
    }

    func lives(_ family: Family) -> Bool {
        !ended.contains(family.id) && ended.isDisjoint(with: family.ancestors)
            && (family.slot.map { newest[$0] == family.id } ?? true) && (family.app.map(takes) ?? true)
    }

    func takes(_ app: String) -> Bool {
        !policy.deny.contains(app) && (policy.isOpen || policy.allow.contains(app))
    }
}
