import Accounts
import Pages

/// What a product holds on people of the IdP, for the export of their own data; and what people call it.
public struct HeldData: Sendable {
    public let holding: AccountHolding
    /// The heading of its rows.
    public let title: @Sendable (Language) -> String

    public init(_ holding: AccountHolding, _ title: @escaping @Sendable (Language) -> String) {
        (self.holding, self.title) = (holding, title)
    }
}
