import Base
import HTTPTypes
import Hummingbird

/// `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10, 2 and 3): lists with an item for each
/// limit.
///
/// Nothing is told with a redirection, since a browser that is out of quota might not follow it (section 5). Pauses
/// after wrong passwords and codes have no policy that could be told in a quota and a window, so there `Retry-After`
/// stands alone.
enum RateLimitFields {
    static func add(_ limit: ServiceLimit, to headers: inout HTTPFields) {
        headers.append(HTTPField(name: .rateLimitPolicy, value: limit.policyText))
        headers.append(HTTPField(name: .rateLimit, value: limit.text))
    }

    static func add(_ limit: ServiceLimit, to response: inout Response) {
        guard response.status.kind != .redirection else { return }
        add(limit, to: &response.headers)
    }
}

extension HTTPField.Name {
    static let rateLimit = named("RateLimit")
    static let rateLimitPolicy = named("RateLimit-Policy")
}
