import Accounts
import Base
import Database
import HTTP
import OAuth
import Pages

/// What a person may have and end of all that is held on them, and what products hold.
public final class PersonalData: Sendable {
    let export: OwnData
    let deletion: DeleteOwnAccount
    private let held: [HeldData]

    public init(database: Database, held: [HeldData], deletion: DeleteOwnAccount, clock: WallClock) {
        let holdings = AccountHolding.ofPeople + held.map(\.holding)
        export = OwnData(database: database, holdings: holdings, clock: clock)
        (self.held, self.deletion) = (held, deletion)
    }

    /// The heading of a member's rows.
    func title(_ member: String, _ language: Language) -> String {
        held.first { $0.holding.member == member }?.title(language) ?? language.data.parts[member] ?? member
    }
}
