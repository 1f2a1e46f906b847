import Testing

/// No product is named outside its own target, but where the server's list and what plays its other side are.
enum ProductRules {
    /// What names a product in code, and the targets that may.
    private static let products: [(word: Pattern, targets: Set<String>)] = [
        (Pattern("(?i)tiqr"), ["Tiqr"]),
        // Wallets' passkeys lie in the table of all, and the settings of both are called `liquid-…`.
        (Pattern("(?i)liquid"), ["Liquid", "Passkeys"]),
        (Pattern("(?i)wultra|powerauth"), ["Operations", "PowerAuth"]),
        (Pattern(#"ViewerRoutes|ch\.pando\.viewer|\bimport Viewer\b"#), ["Viewer"]),
        (Pattern(#"\bimport (?:IdentityProvider|Operations)\b"#), ["IdentityProvider", "Operations"]),
        (Pattern(#"\bimport Passkeys\b"#), ["Passkeys", "Liquid"]),
        (Pattern(#"\bimport Discovery\b|discoveryProtocol"#), ["Discovery"]),
    ]

    /// The server has the list, with what each is set to; the others measure and show products.
    private static let above: Set<String> = ["Server", "Simulators", "Commands", "pando", "pando-bench"]

    /// Products bring their commands by the list.
    private static let administration = "Sources/Commands/"

    /// What products are about. Elsewhere these words are the field's, as an account's factor `passkey` is; in `Pages`
    /// they would be a product's page.
    private static let subjects = Pattern("(?i)passkey|approv|wallet")

    /// The word by which an account asks for a phone (`--require-factor tiqr`); the one style sheet, which knows the
    /// form that a script asks by; and the console's tables, in which words and columns of products' commands stand
    /// beside those of all others, in four languages. A command without a row of these has pages, too.
    private static let exceptions: Set<String> = [
        "Sources/Accounts/Account.swift", "Sources/OAuth/FactorDemand.swift", "Sources/Pages/Frame/Stylesheet.swift",
        "Sources/Console/Frame/ConsoleNavigation.swift", "Sources/Console/Pages/CatalogPages.swift",
        "Sources/Console/Pages/ConsoleNoun.swift", "Sources/Console/Strings/ConsoleWords.swift",
    ]

    static func names(_ files: [TextFile]) -> [Finding] {
        files.filter { file in
            let isBelow = file.target.map { !above.contains($0) } ?? false
            return (isBelow || file.path.hasPrefix(administration)) && !exceptions.contains(file.path)
        }.flatMap { file in
            let others = products.filter { !$0.targets.contains(file.target ?? "") }.map(\.word)
            return (others + (file.target == "Pages" ? [subjects] : [])).flatMap { word in
                word.hits(in: file.code).map {
                    Finding(
                        file, line: $0.line,
                        """
                        names a product outside of its target. Let the product hand it in with its Product or \
                        HostedService.
                        """
                    )
                }
            }
        }
    }
}

@Suite("Products")
struct ProductTests {
    @Test("no product is named outside its target, but in the server's list")
    func names() {
        expectNone(ProductRules.names(Checkout.here.sources))
    }

    @Test(
        "a product's name is found in code, outside its own target alone",
        arguments: [
            ("Sources/HTTP/A.swift", "case let refused as TiqrRefusal:", true),
            ("Sources/HTTP/A.swift", "// as tiqr does", false),
            ("Sources/Tiqr/A.swift", "TiqrRefusal.notFound", false),
            ("Sources/Liquid/A.swift", "import Operations", true),
            ("Sources/Server/A.swift", "let liquid: LiquidService?", false),
            ("Sources/PowerAuth/A.swift", "PowerAuthVersion.v33", false),
            ("Sources/OAuth/A.swift", "ViewerRoutes.scope", true),
            ("Sources/Administration/A.swift", "case let tiqr", true),
            ("Sources/Commands/A.swift", "import Passkeys", true),
            ("Sources/pando/Demo/A.swift", "import Passkeys", false),
            ("Sources/Pages/Strings/English.swift", #""for example tiqr""#, true),
            ("Sources/Pages/A.swift", "struct PasskeyPage", true), ("Sources/Accounts/A.swift", "case passkey", false),
        ])
    func bites(path: String, code: String, bad: Bool) {
        #expect(ProductRules.names([TextFile(path: path, text: "\n\(code)\n")]).map(\.line) == (bad ? [2] : []))
    }
}
