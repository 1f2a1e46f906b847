import ArgumentParser

/// Whether a service checks access tokens by itself, on the command line (docs/local-checks.md).
struct LineageOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: "Access tokens for it say what they hang from, so that it checks them by itself; not by default.")
    var lineage: Bool?
}
