import PandoClient

/// Each check of docs/join-the-federation.md, "3. Take an assertion", as an assertion of the right key that fails it.
extension OwnIssuer {
    public func spoilt() throws -> [SpoiltAssertion] {
        let changed = try changes().map { change in
            SpoiltAssertion(
                id: change.id, what: change.what, text: try sign(claims().merging(change.claims) { $1 }))
        }
        let lacking = try [
            ("jti", "jti"), ("sub", "sub"), ("client_id", "client"), ("cnf", "key"), ("lineage", "lineage"),
        ]
        .map { member, word in
            SpoiltAssertion(
                id: "no-" + word, what: "without \(member)",
                text: try sign(claims().filter { $0.key != member }))
        }
        return changed + lacking + [
            SpoiltAssertion(
                id: "wrong-typ", what: "whose typ is that of an access token",
                text: try sign(claims(), type: "at+jwt")),
            SpoiltAssertion(
                id: "crit", what: "that needs an extension (crit, RFC 7515, 4.1.11)",
                text: try sign(claims(), header: ["crit": ["urn:example:unknown"], "urn:example:unknown": true])),
        ]
    }

    private func changes() -> [(id: String, what: String, claims: [String: JSON])] {
        let confirmation = claims()["cnf"]?.object ?? [:]
        let unreadable = confirmation.merging(["x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2"]) { $1 }
        return [
            ("expired", "that expired an hour ago", ["iat": time(-3_900), "exp": time(-3_600)]),
            ("early", "made an hour from now", ["iat": time(3_600), "exp": time(3_900)]),
            ("long", "that lives for a day", ["exp": time(86_400)]),
            ("not-before", "that begins in an hour (nbf)", ["nbf": time(3_600)]),
            ("wrong-issuer", "of another issuer", ["iss": "https://another.example"]),
            ("base-audience", "whose aud is the base URL, not the token endpoint", ["aud": .string(base)]),
            (
                "two-audiences", "for this service and another",
                ["aud": [.string(tokenEndpoint), "https://another.example/token"]]
            ),
            ("confirmation", "whose cnf has what nobody can check", ["cnf": .object(unreadable)]),
        ]
    }
}
