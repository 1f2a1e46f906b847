import Discovery
import HTTP
import Liquid
import Operations
import Passkeys
import Tiqr
import Upstream
import Viewer

/// The products of this server, a line each. To add one: a target of its own, and its line here
/// (docs/add-a-service.md).
extension Product {
    public static let all: [Product] = [
        .service("viewer") { .viewer(on: $0.dependencies, root: $0.root) },
        .tiqr,
        .operations,
        .passkeys,
        .upstream,
        .liquid,
        .service("discovery") { .discovery($0) }.whenAsked,
    ]

    /// What `login-factors` may name, once each.
    static var loginFactors: [String] { names(all.compactMap(\.loginFactor)) }

    static func names(_ words: [String]) -> [String] {
        words.enumerated().filter { words.firstIndex(of: $0.element) == $0.offset }.map(\.element)
    }
}
