import HTTP
import OAuth
import Pages

/// The doors beside the password, that first by which somebody came last in this browser. Nothing is asked about
/// anybody: the browser alone tells, and it knows no name.
struct LoginWays: Sendable {
    let favourite: LoginAlternative?
    let others: [LoginAlternative]
    /// It is what the page with the password asks for itself.
    let isOnPage: Bool

    /// `remembered` is whatever the browser sent: what is no way here counts for nothing. `doors` lead elsewhere.
    init(
        _ remembered: String?, doors: [LoginAlternative], factors: [SecondFactor], onPage: [SecondFactor],
        _ place: LoginPlace, _ language: Language
    ) {
        func door(_ factor: SecondFactor) -> LoginAlternative { LoginAlternative(factor, place, in: language) }
        isOnPage = onPage.contains { $0.name == remembered && !$0.isReserve }
        if remembered == LoginElsewhere.way, let first = doors.first {
            (favourite, others) = (first, doors.dropFirst() + factors.map(door))
        } else {
            favourite = factors.first { $0.name == remembered && !$0.isReserve }.map(door)
            others = doors + factors.filter { $0.name != remembered || $0.isReserve }.map(door)
        }
    }
}
