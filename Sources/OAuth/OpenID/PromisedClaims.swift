/// What a client would be told of a person under one scope; without one, by single claims.
public struct PromisedClaims: Sendable {
    public struct Claim: Sendable {
        public let name: String
        /// None where there is nothing to tell yet; what is said of the person later would be told.
        public let values: [String]
    }

    public let scope: String?
    public let claims: [Claim]
}
