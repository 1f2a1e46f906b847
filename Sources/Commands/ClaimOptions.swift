import Administration
import ArgumentParser
import Federation

/// What somebody is let know of a person: `--claim` adds to what is there, `--no-claims` begins with nothing, and both
/// together say exactly what.
struct ClaimOptions: ParsableArguments {
    @Option(help: "A claim that it is let know beside those that it is already; may be repeated.")
    var claim: [String] = []
    @Flag(help: "Let it know none; with --claim, those alone.") var noClaims = false

    /// In the order in which they were said, each once; `nil` where nothing was. `known` is what is there.
    func wanted(beside known: [String]) throws -> [String]? {
        try ClaimOptions.check(claim)
        guard noClaims || !claim.isEmpty else { return nil }
        var seen: Set<String> = []
        return ((noClaims ? [] : known) + claim).filter { seen.insert($0).inserted }
    }

    static func check(_ names: [String]) throws {
        guard let unknown = names.first(where: { !AttributeRelease.known.contains($0) }) else { return }
        throw AdminFailure(
            .invalid, "claim \(unknown) is not one of \(AttributeRelease.known.joined(separator: ", "))")
    }
}
