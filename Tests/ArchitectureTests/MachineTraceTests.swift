import Testing

/// The checkout names no machine it was written on, and no registry: where packages come from is for whoever builds.
enum MachineTraceRules {
    // Written so that this file does not find itself.
    static let registries =
        #"""
        \b(?:pypi|pythonhosted|npmjs|yarnpkg|crates|rubygems|packagist|nuget|swiftpackageindex|hub\.docker)\.(?:org\#
        |com|io)\b
        """#
            + #"""
            |\bproxy\.golang\.org\b|\brepo1?\.maven\b|\b(?:docker|ghcr|quay|gcr)\.io\b|\b(?:deb|security)\.debian\.\#
            org\b|\b(?:registry|index)\.docker\b
            """#
    static let folders = #"(?<![\w.~)}\]*-])/(?:work|farm|root)/"#

    static func traces(_ files: [TextFile]) -> [Finding] {
        let registry = Pattern(registries)
        let folder = Pattern(folders)
        return files.flatMap { file in
            registry.hits(in: file.text).map { hit in
                Finding(
                    file, line: hit.line,
                    "names the package registry \(hit.captured). Leave it to the tool's own configuration.")
            }
                + folder.hits(in: file.text).map { hit in
                    Finding(
                        file, line: hit.line,
                        "names the folder \(hit.captured) of one machine. Use a path relative to the checkout.")
                }
        }
    }
}

@Suite("Traces of machines")
struct MachineTraceTests {
    @Test("no file names a package registry or a folder of one machine")
    func traces() {
        expectNone(MachineTraceRules.traces(Checkout.here.files))
    }

    @Test(
        "traces are found, paths that only look like them are not",
        arguments: [
            ("pip install -i https://py\("")pi.org/simple", true), ("image: gh\("")cr.io/x/y", true),
            ("cd /\("work")/main", true),
            ("'/\("root")/x'", true), ("deploy/work/x", false), ("../work/x", false),
            ("https://example.org/work/", false),
            ("https://github.com/apple/swift-nio", false), ("docs.rs and docker", false),
        ])
    func bites(text: String, bad: Bool) {
        #expect(
            MachineTraceRules.traces([TextFile(path: "README.md", text: "\n\(text)\n")]).map(\.line) == (bad ? [2] : [])
        )
    }
}
