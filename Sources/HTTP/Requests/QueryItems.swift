import Base
import Hummingbird
import Vocabulary

/// The query of a GET whose parameters may come again (`protocol=a&protocol=b`), which forms of OAuth must not.
public struct QueryItems: Sendable {
    /// As they came.
    public let items: [(name: String, value: String)]

    public init(_ request: Request) throws { try self.init(request.uri.query ?? "") }

    init(_ query: String) throws {
        do {
            items = try query.utf8.split(separator: UInt8(ascii: "&")).map { pair in
                let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                return (
                    name: try FormCodec.decode(parts[0]), value: parts.count > 1 ? try FormCodec.decode(parts[1]) : ""
                )
            }
        } catch {
            throw OAuthError(.invalidRequest, "the query is not percent-encoded UTF-8 without NUL")
        }
    }

    public func all(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

    /// At most one; empty counts as absent.
    public func one(_ name: String) throws -> String? {
        let values = all(name)
        guard values.count <= 1 else { throw OAuthError(.invalidRequest, "parameter \(name) comes twice") }
        return values.first.flatMap { $0.isEmpty ? nil : $0 }
    }
}
