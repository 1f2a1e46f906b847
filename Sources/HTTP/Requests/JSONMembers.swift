import Base
import HTTPTypes
import Hummingbird
import Vocabulary

/// The members of a JSON body of a back office: unknown ones are ignored, `null` counts as absent, another type than
/// asked for is 400 (design/backoffice.md).
public struct JSONMembers: Sendable {
    private let object: JSONObject

    init(_ object: JSONObject) { self.object = object }

    /// `mayBeAbsent`: no body at all is no members.
    public init(_ request: Request, mayBeAbsent: Bool = false) async throws {
        if mayBeAbsent, BodyReading.mediaType(request) == nil {
            guard try await BodyReading.bytes(request).isEmpty else {
                throw OAuthError(.unsupportedMediaType, "send application/json")
            }
            object = [:]
        } else {
            guard let members = try await BodyReading.json(request).object else {
                throw OAuthError(.invalidRequest, "the body must be a JSON object")
            }
            object = members
        }
    }

    /// Not `nil`, which would be JSON's null.
    private func member(_ name: String) -> JSONValue? {
        guard let value = object[name], value != .null else { return Optional.none }
        return value
    }

    /// Empty text is text.
    public func text(_ name: String) throws -> String? {
        guard let value = member(name) else { return nil }
        guard let text = value.string else { throw OAuthError(.invalidRequest, "\(name) must be a string") }
        return text
    }

    public func required(_ name: String) throws -> String {
        guard let text = try text(name) else { throw OAuthError(.invalidRequest, "\(name) is missing") }
        return text
    }

    public func integer(_ name: String, _ range: ClosedRange<Int>) throws -> Int? {
        guard let value = member(name) else { return nil }
        guard let number = value.integer, range.contains(number) else {
            throw OAuthError(
                .invalidRequest, "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    public func flag(_ name: String) throws -> Bool? {
        guard let value = member(name) else { return nil }
        guard let flag = value.bool else { throw OAuthError(.invalidRequest, "\(name) must be true or false") }
        return flag
    }
}
