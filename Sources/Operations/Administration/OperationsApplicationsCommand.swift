import Administration
import ArgumentParser
import Base
import Foundation

/// `operations applications …`: the apps that phones have, as their owners set them up.
struct OperationsApplicationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "applications", abstract: "Apps that approve: what they are pushed to with, how PINs block.",
        subcommands: [List.self, Show.self, Blocks.self, PushAPNs.self, PushFCM.self, PushHMS.self, PushRemove.self])

    struct List: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "List applications, by name.")
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let found = try await session.operationsOperator.applications(in: session.executor)
            let rest = list.after.map { after in Array(found.drop { $0.id != after }.dropFirst()) } ?? found
            return .page(rest, limit: list.limit, cursor: \.id, json: { .object($0.operatorJSON) })
        }
    }

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "Show an application, and what it is pushed to with, but for the keys.")
        @OptionGroup var which: NamedApplication
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let room = try session.operationsOperator
            let application = try await room.application(which.app, of: which.client, in: session.executor)
            var members = application.operatorJSON
            members["push"] = .array(
                try await room.pushes(of: which.app, which.client, in: session.executor).map {
                    .object($0.operatorJSON)
                })
            return .object(members)
        }
    }

    struct Blocks: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Choose how many minutes wrong PINs block a phone for.",
            discussion: """
                The first number is for the first block, the second for the one behind it and so on; a right PIN \
                begins anew. Behind the last one, and without any, a block is for good. Blocks that have begun stay.
                """)
        @OptionGroup var which: NamedApplication
        @Argument(help: "Minutes of the first block, of the second and so on; none for blocks without end.")
        var minutes: [Int] = []
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let room = try session.operationsOperator
            let before = try await room.application(which.app, of: which.client, in: session.executor)
            let became = try await room.setBlocks(minutes, of: which.app, which.client, in: session.executor)
            return became.operatorJSON.adding(already: before.blockMinutes == minutes)
        }
    }

    struct PushAPNs: AdminChange {
        static let configuration = CommandConfiguration(
            commandName: "push-apns", abstract: "Push to an application by Apple, with a key of its team.")
        @OptionGroup var which: NamedApplication
        @Option(help: "The .p8 file; - is stdin.", completion: .file()) var key: String
        @Option(help: "Apple's id of the team.") var team: String
        @Option(help: "Apple's id of the key.") var keyID: String
        @Option(help: "The app's bundle id.") var topic: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            try await which.push(
                .apns,
                [
                    "teamId": .string(team), "keyId": .string(keyID), "topic": .string(topic),
                    "key": .string(try AdminInput.text(key)),
                ], session)
        }
    }

    struct PushFCM: AdminChange {
        static let configuration = CommandConfiguration(
            commandName: "push-fcm", abstract: "Push to an application by Google, with a service account.")
        @OptionGroup var which: NamedApplication
        @Option(help: "JSON file of the service account; - is stdin.", completion: .file()) var account: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let json = try? JSONReader.read(Array(try AdminInput.text(account).utf8))
            return try await which.push(.fcm, ["account": json ?? .null], session)
        }
    }

    struct PushHMS: AdminChange {
        static let configuration = CommandConfiguration(
            commandName: "push-hms", abstract: "Push to an application by Huawei, with its secret there.")
        @OptionGroup var which: NamedApplication
        @Option(help: "Huawei's id of the app.") var appID: String
        @Option(help: "File with its secret; - is stdin.", completion: .file()) var secret: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let text = try AdminInput.text(secret).trimmingCharacters(in: .whitespacesAndNewlines)
            return try await which.push(.hms, ["appId": .string(appID), "clientSecret": .string(text)], session)
        }
    }

    struct PushRemove: AdminChange {
        static let route: AdminRoute? = AdminRoute("DELETE", "/operations/applications/{appId}/push/{provider}")
        static let configuration = CommandConfiguration(
            commandName: "push-remove", abstract: "Forget what an application is pushed to with.")
        static let example: String? = "bank-app apns"
        @OptionGroup var which: NamedApplication
        @Argument(help: "apns, fcm or hms.") var provider: PushProvider
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let isDone = try await session.operationsOperator.removePush(
                provider, of: which.app, which.client, in: session.executor)
            let result: JSONObject = ["app": .string(which.app), "provider": .string(provider.rawValue)]
            return result.adding(already: !isDone)
        }
    }
}

extension PushProvider: ExpressibleByArgument {}

/// An application, and whose, where several services have one of that name.
struct NamedApplication: ParsableArguments {
    @Argument(help: ArgumentHelp("The application.", valueName: "appId")) var app: String
    @Option(help: ArgumentHelp("Whose it is, where several services have one of that name.", valueName: "client id"))
    var client: String?

    func push(_ provider: PushProvider, _ json: JSONValue, _ session: AdminSession) async throws -> JSONObject {
        let kept = try await session.operationsOperator.setPush(
            provider, json, of: app, client, in: session.executor)
        var result: JSONObject = ["app": .string(app)]
        for (name, value) in kept.operatorJSON { result[name] = value }
        return result
    }
}

extension PhoneApplication {
    var operatorJSON: JSONObject {
        [
            "app": .string(appID), "name": .string(name), "owner": .string(owner),
            "block_minutes": .array(blockMinutes.map { .integer($0) }),
        ]
    }
}

extension KeptPushCredentials {
    var operatorJSON: JSONObject {
        var members: JSONObject = ["provider": .string(credentials.provider.rawValue)]
        for (name, value) in credentials.settings { members[KeptPushCredentials.words[name] ?? name] = value }
        members["created_at"] = .string(createdAt.rfc3339)
        if let (at, said) = refusal {
            members["refused_at"] = .string(at.rfc3339)
            members["refusal"] = .string(said)
        }
        return members
    }

    private static let words = [
        "teamId": "team", "keyId": "key_id", "projectId": "project", "clientEmail": "client_email", "appId": "app_id",
    ]
}
