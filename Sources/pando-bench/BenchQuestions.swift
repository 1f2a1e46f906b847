import Base

/// Three-protocol questions, all with answers of the same size.
struct BenchQuestions: Sendable {
    /// As many as are asked over and over.
    static let few = 16

    private let all: [[String]]

    /// The first pair of frequent names for every family, then the next pair.
    init(families: Range<Int>) {
        var all: [[String]] = []
        for first in 0..<BenchServices.familyNames {
            for second in (first + 1)..<BenchServices.familyNames {
                all += families.map {
                    [BenchServices.family($0), BenchServices.name(first), BenchServices.name(second)]
                }
            }
        }
        self.all = all
    }

    /// The usual case.
    var usual: [[String]] { Array(all.prefix(BenchQuestions.few)) }

    /// Those that are not usual, in order.
    var distinct: [[String]] { Array(all.dropFirst(BenchQuestions.few)) }

    /// Frequent names only: many services of many sets offer them.
    static let popular: [[String]] = {
        var all: [[String]] = []
        for first in 0..<10 {
            for second in (first + 1)..<11 {
                for third in (second + 1)..<12 { all.append([first, second, third].map { BenchServices.name($0) }) }
            }
        }
        return all
    }()

    /// With documents, as an app's question has them.
    static func publicPath(_ names: [String], more: String = "") -> String {
        "/federation/services?documents=true&" + names.map { "protocol=\($0)" }.joined(separator: "&") + more
    }
}
