import Base
import Foundation
import Vocabulary

/// Step-up (RFC 9470): a resource says that the login behind a token is too old or too weak, and what would do.
enum StepUp {
    /// `detail` holds `auth_time` and `amr` of the login; a token that tells nothing about it reaches nothing that asks.
    static func check(_ detail: JSONObject, maxAge: Int?, level: AuthenticationContext.Level?, at now: Date) throws {
        guard maxAge != nil || level != nil else { return }
        let context = detail["auth_time"]?.integer.map { AuthenticationContext(methods: detail["amr"]?.strings ?? [], time: Date(timeIntervalSince1970: TimeInterval($0))) }
        let isFresh = maxAge.map { limit in context.map { now.timeIntervalSince($0.time) <= TimeInterval(limit) } ?? false } ?? true
        let isStrong = level.map { wanted in context?.reaches(wanted) ?? false } ?? true
        guard isFresh, isStrong else {
            var members: [String: String] = [:]
            if let level, !isStrong { members["acr_values"] = level.rawValue }
            if let maxAge, !isFresh { members["max_age"] = String(maxAge) }
            throw OAuthError(.insufficientAuthentication, isFresh ? "this needs a stronger login" : "this needs a more recent login", members: members)
        }
    }
}
