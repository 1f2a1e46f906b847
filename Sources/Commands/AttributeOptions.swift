import Accounts
import Administration
import ArgumentParser

/// What institutions say of a person: `--attribute NAME=VALUE` adds a value to what is there, `--no-attribute NAME`
/// takes all of that name away first.
struct AttributeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What an institution says of the person, e.g. eduperson_entitlement=urn:…; may be repeated. Names: "
                + PersonAttribute.allCases.map(\.rawValue).joined(separator: ", ") + ".", valueName: "name=value"))
    var attribute: [String] = []
    @Option(help: "Take away what was said under this name; may be repeated.") var noAttribute: [String] = []

    /// `nil` where nothing was said.
    func wanted(beside known: PersonAttributes) throws -> PersonAttributes? {
        guard !attribute.isEmpty || !noAttribute.isEmpty else { return nil }
        var wanted = known
        for name in noAttribute { wanted.clear(try AttributeOptions.named(name)) }
        for pair in attribute {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw AdminFailure(.usage, "--attribute takes NAME=VALUE, not \(pair)") }
            let name = try AttributeOptions.named(parts[0])
            do { try wanted.add(parts[1], to: name) } catch let refusal as PersonAttribute.Refused {
                throw AdminFailure(.invalid, refusal.description)
            }
        }
        return wanted
    }

    private static func named(_ name: String) throws -> PersonAttribute {
        guard let attribute = PersonAttribute(rawValue: name) else {
            let names = PersonAttribute.allCases.map(\.rawValue).joined(separator: ", ")
            throw AdminFailure(.invalid, "attribute \(name) is not one of \(names)")
        }
        return attribute
    }
}
