import Base

extension AdminCatalog {
    /// Whether whoever it is would be let in, for pages that offer only what may be done. What is missing of the
    /// arguments is made up: it stands for what somebody still has to type.
    public func permits(
        _ entry: AdminEntry, _ arguments: JSONObject, in session: AdminSession
    ) async throws -> Bool {
        if session.authority.isAdministrator { return true }
        var filled = arguments
        for argument in entry.arguments where filled[argument.name] == nil {
            if argument.name == AdminArgument.stdin || (!argument.isOptional && argument.kind != .flag) {
                filled[argument.name] = .string(argument.values.first ?? "made-up")
            }
        }
        do {
            let given = GivenInput(stdin: filled[AdminArgument.stdin]?.string)
            try await AdminInput.$given.withValue(given) {
                try await AdminPermissions.admit(try command(entry, filled), entry, filled, in: session)
            }
            return true
        } catch {
            let failure = AdminFailure(error)
            guard failure.code != .unavailable else { throw failure }
            return false
        }
    }
}
