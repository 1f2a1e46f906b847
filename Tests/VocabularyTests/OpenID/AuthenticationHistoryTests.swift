import Foundation
import Testing
import Vocabulary

/// All sequences of up to four answers, an hour or a minute apart, held against a reading of the rules that knows
/// nothing of the code: for each moment, which answers are as recent, and what do they show together.
@Suite("How strong and how recent a login is")
struct AuthenticationHistoryTests {
    enum Answer: String, CaseIterable {
        case password, passkey, tiqr, approval, wallet

        var methods: [String] {
            switch self {
            case .password: ["pwd"]
            case .passkey: ["mfa", "swk", "user"]
            case .tiqr: ["mfa", "swk"]
            case .approval: ["mfa", "swk", "pin"]
            case .wallet: ["swk", "user"]
            }
        }
        var factor: String? { self == .password ? nil : self == .approval ? "operations" : rawValue }
        /// Shows two factors by itself.
        var isWhole: Bool { self != .password && self != .wallet }
    }

    typealias Shown = (at: Date, answer: Answer)

    private static let start = Date(timeIntervalSince1970: 1_800_000_000)

    /// Every sequence with every choice of pauses: 60 s belong to one login, 3,600 s do not.
    private static let sequences: [[Shown]] = {
        var all: [[Shown]] = [[]], longest: [[Shown]] = [[]]
        for _ in 0..<4 {
            longest = longest.flatMap { before in
                Answer.allCases.flatMap { answer in
                    [60.0, 3_600].map { pause in before + [(before.last?.at.addingTimeInterval(pause) ?? start, answer)]
                    }
                }
            }
            all += longest
        }
        return all
    }()

    private func history(_ shown: [Shown]) -> AuthenticationHistory {
        AuthenticationHistory(
            shown.shuffled().map { .init(at: $0.at, methods: $0.answer.methods, factor: $0.answer.factor) },
            began: Self.start)
    }

    /// Two factors: one answer that shows both, or a password and a thing held.
    private func isStrong(_ answers: some Collection<Answer>) -> Bool {
        answers.contains(where: \.isWhole) || (answers.contains(.password) && answers.contains(.wallet))
    }

    private func strongSince(_ shown: [Shown]) -> Date? {
        shown.map(\.at).filter { moment in isStrong(shown.filter { $0.at >= moment }.map(\.answer)) }.max()
    }

    @Test("two factors are as old as the oldest answer that they need, and what came later makes them no newer")
    func strength() {
        for shown in Self.sequences {
            let history = history(shown)
            #expect(history.time(of: .twoFactors) == strongSince(shown), "\(shown)")
            #expect(history.latest == shown.last?.at ?? Self.start)
            #expect(history.passwordAt == shown.last { $0.answer == .password }?.at)
        }
    }

    @Test("what is told is reached by answers as recent as the time that is told with it")
    func told() {
        for shown in Self.sequences where !shown.isEmpty {
            for since in [nil] + shown.map({ Optional($0.at) }) {
                let told = history(shown).context(since: since),
                    counted = shown.filter { $0.at >= told.time }.map(\.answer)
                let start = max(told.time.addingTimeInterval(-900), since ?? .distantPast),
                    login = shown.filter { $0.at >= start }.map(\.answer)
                #expect(Set(told.methods) == Set(login.flatMap(\.methods)), "\(shown) since \(since as Any)")
                #expect((told.level == .twoFactors) == isStrong(counted))
                #expect(since == nil || told.time >= since ?? .distantFuture)
                let asked = shown.filter { since == nil || $0.at >= since ?? .distantFuture }.map(\.answer)
                #expect(
                    (told.level == .twoFactors) == isStrong(asked),
                    "the strongest that is as recent as asked for: \(shown) since \(since as Any)")
            }
        }
    }

    @Test(
        "a thing held is a factor beside a password only, and as old as the older of both",
        arguments: Answer.allCases.filter { $0 != .password })
    func factor(_ wanted: Answer) {
        for shown in Self.sequences {
            let last = shown.last { $0.answer == wanted }?.at, password = shown.last { $0.answer == .password }?.at
            let expected = wanted.isWhole ? last : last.flatMap { last in password.map { min(last, $0) } }
            #expect(history(shown).shownAt { $0 == wanted.factor } == expected, "\(shown)")
        }
    }

    @Test("a wallet's tap makes no passkey of this morning a recent one")
    func tap() {
        let nine = Self.start, three = nine.addingTimeInterval(6 * 3_600)
        let history = history([(nine, .passkey), (three, .wallet)])

        #expect(history.time(of: .twoFactors) == nine && history.latest == three)
        #expect(history.shownAt { _ in true } == nine && history.shownAt { $0 == "wallet" } == nil)
    }

    @Test("two factors at nine and a password at three are two factors at nine, or one at three")
    func afternoon() {
        let nine = Self.start, three = nine.addingTimeInterval(6 * 3_600)
        let history = history([(nine, .tiqr), (three, .password)])

        let strong = history.context(), recent = history.context(since: three.addingTimeInterval(-60))
        let late = history.context(since: three.addingTimeInterval(1))

        #expect(strong.level == .twoFactors && strong.time == nine && strong.methods == ["mfa", "pwd", "swk"])
        #expect(recent.level == .oneFactor && recent.time == three && recent.methods == ["pwd"] && late == recent)
    }
}
