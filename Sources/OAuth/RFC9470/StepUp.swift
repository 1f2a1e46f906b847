import Base
import Foundation
import TokenTree
import Vocabulary

/// Step-up (RFC 9470): a resource says that the login behind a token is too old or too weak, and what would do.
enum StepUp {
    /// A token that tells nothing about its login reaches nothing that asks.
    static func check(_ login: LoginClaims, maxAge: Int?, level: AuthenticationContext.Level?, at now: Date) throws {
        guard maxAge != nil || level != nil else { return }
        let context = login.time.map {
            AuthenticationContext(methods: login.methods ?? [], time: Date(timeIntervalSince1970: TimeInterval($0)))
        }
        let isFresh =
            maxAge.map { limit in context.map { now.timeIntervalSince($0.time) <= TimeInterval(limit) } ?? false }
            ?? true
        let isStrong = level.map { wanted in context?.reaches(wanted) ?? false } ?? true
        guard isFresh, isStrong else {
            var members: [String: String] = [:]
            if let level, !isStrong { members["acr_values"] = level.rawValue }
            if let maxAge, !isFresh { members["max_age"] = String(maxAge) }
            throw OAuthError(
                .insufficientAuthentication, isFresh ? "this needs a stronger login" : "this needs a more recent login",
                members: members)
        }
    }
}

extension LoginClaims {
    /// What tokens tell of a login; `StepUp` reads it.
    init(_ context: AuthenticationContext) {
        self.init(time: context.time.numericDate, level: context.level.rawValue, methods: context.methods)
    }
}
