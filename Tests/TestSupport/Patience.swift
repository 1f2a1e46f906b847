/// The queue before the password hasher is short on purpose (`PasswordHasher.Busy`, 503); a hundred tests that log in
/// at once come again, as people would.
public enum Patience {
    public static func whileBusy(
        isolation: isolated (any Actor)? = #isolation, _ ask: () async throws -> Reply
    ) async throws -> Reply {
        for _ in 0..<300 {
            let reply = try await ask()
            guard reply.status == 503 else { return reply }
            try await Task.sleep(for: .milliseconds(100))
        }
        return try await ask()
    }
}
