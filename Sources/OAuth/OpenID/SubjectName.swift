import Base
import Federation
import Foundation
import Registration
import Vocabulary

/// `sub` of a person at a web client (OpenID Connect Core, 8): one per sector unless the client is public.
struct SubjectName: Sendable {
    let names: PairwiseNames

    func of(_ account: UUID, at client: WebClient) -> String {
        switch client.metadata.subjectType {
        case .public: account.uuidString.lowercased()
        // No service has such an id: ids of services hold no blank.
        case .pairwise:
            names.subject(of: account, at: client.metadata.sector.map { "sector \($0)" } ?? "client \(client.id)")
        }
    }
}
