import Base

extension AdminCatalog {
    /// Whether whoever it is would be let in, for pages that offer only what may be done.
    public func permits(
        _ entry: AdminEntry, _ arguments: JSONObject, in session: AdminSession
    ) async throws -> Bool {
        try await refusal(entry, arguments, in: session) == nil
    }

    /// Why whoever it is would not be let in; `nil` for who would. What is missing of the arguments is made up: it
    /// stands for what somebody still has to type. Throws where that cannot be told.
    public func refusal(
        _ entry: AdminEntry, _ arguments: JSONObject, in session: AdminSession
    ) async throws -> AdminFailure? {
        if session.authority.isAdministrator { return nil }
        // Before anything is made up: what is not understood would say nothing of roles.
        guard AdminPermissions.mayRun(entry, session.authority) else { return AdminPermissions.notTheirs }
        // Which role, and where, is typed last, and says whether it is theirs to give: until then there is a form.
        if entry.rule?.grants == true, !AdminRule.isGiven("role", arguments) { return nil }
        var filled = arguments
        for argument in entry.arguments where filled[argument.name] == nil {
            if argument.name == AdminArgument.stdin || (!argument.isOptional && argument.kind != .flag) {
                filled[argument.name] = .string(argument.values.first ?? "made-up")
            }
        }
        do {
            let given = GivenInput(stdin: filled[AdminArgument.stdin]?.string)
            try await AdminInput.$given.withValue(given) {
                let filled = AdminPermissions.completed(try entry.plain(filled), entry, session.authority)
                _ = try command(entry, filled)
                try await AdminPermissions.admit(entry, filled, in: session)
            }
            return nil
        } catch {
            let failure = AdminFailure(error)
            switch failure.code {
            case .forbidden, .notFound: return failure
            case .unavailable: throw failure
            // What was made up is not understood: whoever may not see everything, and everybody where all may, gets to
            // know when they have typed it.
            default:
                let isOver = session.authority.seesEverything && !entry.isForAnybody
                return isOver ? AdminFailure(.forbidden, failure.description) : nil
            }
        }
    }
}

extension AdminEntry {
    /// Arguments that whoever it is may not give: a form for them does not ask.
    public func withheld(from authority: AdminAuthority) -> Set<String> {
        authority.isAdministrator ? [] : Set(rule?.withheld ?? [])
    }
}
