import Accounts
import Administration
import OAuth
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

extension AccountRemoval.Part {
    /// What a product deletes, as it tells `pando admin`.
    public init(_ deletion: AccountDeletion) { self.init(member: deletion.member, delete: deletion.delete) }
}
