import OAuth
import Pages

extension ConsentPage.Line {
    /// Of single claims each value stands with its name, and those that have none yet by that alone.
    init(_ promised: PromisedClaims, in language: Language) {
        guard let scope = promised.scope else {
            let values = promised.claims.flatMap { claim in
                (claim.values.isEmpty ? ["–"] : claim.values).map { ClaimWords.labelled(claim.name, $0, language) }
            }
            self.init(scope: "claims", values: values, title: ClaimWords.title(language))
            return
        }
        self.init(scope: scope, values: promised.claims.flatMap(\.values))
    }
}
