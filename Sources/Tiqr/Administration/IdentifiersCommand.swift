import Administration
import ArgumentParser
import Base

extension TiqrCommand {
    struct Identifiers: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Names that phones know this server by, each with its suite and its app.",
            subcommands: [List.self, Show.self, Add.self, Update.self, Retire.self])
    }
}

/// How the app of an identifier is opened, and what its phones are shown.
struct IdentifierOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Schemes of the app: for enrolling, for logging in. Empty for those of the settings.",
            valueName: "enroll,auth"))
    var schemes: String?
    @Option(
        help: ArgumentHelp(
            "Where universal links begin that the app owns, https and a host. Empty for this server.",
            valueName: "url")) var linkBase: String?
    @Option(help: ArgumentHelp("What phones show about it. Empty for that of the settings.", valueName: "url"))
    var infoURL: String?
    @Option(
        help: ArgumentHelp(
            "What people call the app: they may choose it at their account page. Empty: they may not.",
            valueName: "name")) var app: String?
    @Option(
        help: ArgumentHelp("PNG or JPEG, at most 250 by 250 pixels.", valueName: "file"), completion: .file())
    var logo: String?

    var isEmpty: Bool { [schemes, linkBase, infoURL, app, logo].allSatisfy { $0 == nil } }

    func picture() throws -> IdentifierLogo? { try logo.map { try IdentifierLogo(try AdminInput.bytes($0)) } }

    /// Empty text is none.
    func apply(to traits: inout IdentifierTraits) {
        if let schemes {
            let parts = schemes.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            traits.enrollScheme = schemes.isEmpty ? nil : parts[0]
            // Of another number than two the second is no scheme, which is refused.
            traits.authScheme = schemes.isEmpty ? nil : parts.dropFirst().joined(separator: ",")
        }
        if let linkBase { traits.linkBase = linkBase.isEmpty ? nil : linkBase }
        if let infoURL { traits.infoURL = infoURL.isEmpty ? nil : infoURL }
        if let app { traits.app = app.isEmpty ? nil : app }
    }
}

extension TiqrCommand.Identifiers {
    struct List: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "List service identifiers, the default one first.")
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let all = try await session.tiqr.allIdentifiers().drop { one in
                list.after.map { one.identifier != $0 } ?? false
            }
            return .page(
                Array(list.after == nil ? all : all.dropFirst()), limit: list.limit, cursor: \.identifier,
                json: \.json)
        }
    }

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "Show a service identifier.")
        @Argument(help: "Its host name.") var identifier: String
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            guard let found = try await session.tiqr.identifiers.named(identifier, in: session.executor) else {
                throw TiqrRefusal.notFound("there is no tiqr identifier \(identifier)")
            }
            return .object(found.json.object ?? [:])
        }
    }

    struct Add: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Add a service identifier, for phones that use another app or are shown another name.",
            discussion: """
                Its suite belongs to it for ever; its name and logo too from the moment that a phone read them, since \
                the apps keep the first that they saw.
                """)
        @Argument(help: "Its host name, in lower case.") var identifier: String
        @Option(help: "What phones show.") var displayName: String
        @Option(help: "OCRA suite; without it that of the settings. OCRA-1:HOTP-SHA1-6:QH10-S is the PHP library's.")
        var suite: String?
        @OptionGroup var options: IdentifierOptions
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        static var example: String? { "eduid.example.org --display-name eduID --schemes eduidenroll,eduidauth" }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let tiqr = try session.tiqr
            var draft = IdentifierDraft(
                identifier: identifier, displayName: displayName, suite: suite ?? tiqr.settings.defaultSuite)
            options.apply(to: &draft.traits)
            draft.logo = try options.picture()
            let (added, isNew) = try await tiqr.identifiers.add(
                draft, by: .administrator(session.actor), in: session.executor)
            guard isNew else { throw TiqrRefusal.conflict("\(identifier) is there already: tiqr identifiers update") }
            return added.json.object ?? [:]
        }
    }

    struct Update: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Change how an identifier's app is opened, or make it the default.",
            discussion: "The name and the logo can change until a phone has read them.")
        @Argument(help: "Its host name.") var identifier: String
        @Option(help: "What phones show.") var displayName: String?
        @Flag(name: .customLong("default"), help: "Enrollments and logins that name no identifier take it.")
        var makeDefault = false
        @OptionGroup var options: IdentifierOptions
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        static var example: String? { "eduid.example.org --schemes eduidenroll,eduidauth" }

        func validate() throws {
            guard displayName != nil || makeDefault || !options.isEmpty else {
                throw ValidationError("say what changes: --display-name, --default, --schemes, --link-base, --logo …")
            }
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let became = try await session.tiqr.identifiers.update(
                identifier, displayName: displayName, logo: try options.picture(), isDefault: makeDefault ? true : nil,
                by: .administrator(session.actor), in: session.executor
            ) { options.apply(to: &$0) }
            return became.json.object ?? [:]
        }
    }

    struct Retire: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Let no more phones enroll under an identifier. Those that did go on.")
        @Argument(help: "Its host name.") var identifier: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let (became, already) = try await session.tiqr.identifiers.retire(
                identifier, by: .administrator(session.actor), in: session.executor)
            return (became.json.object ?? [:]).adding(already: already)
        }
    }
}
