import Administration
import Base
import HTTP

extension AdminEntry {
    /// It answers 201.
    var makesSomething: Bool { isChange && ["create", "add"].contains(words.last ?? "") }

    /// By pages.
    var isList: Bool { arguments.contains { $0.name == "limit" && $0.kind == .option } }

    /// `appsVersionsAdd`; `pando admin` has the same words.
    var operationID: String { "admin" + pascalWords }

    var bodySchema: String? {
        route.method == "GET" || bodyArguments.isEmpty ? nil : "Admin\(pascalWords)Request"
    }

    /// The call of its manual page, without what the path says; one that needs nothing else says why it is made.
    var bodyExample: JSONObject {
        let names = Set(bodyArguments.map(\.name)), members = example.filtered(names.contains)
        return members.isEmpty && names.contains("reason") ? ["reason": "ticket 4711"] : members
    }

    /// The same in the fields of the console's form, which are texts.
    var formExample: JSONObject {
        JSONObject(
            example.map { name, value -> (String, JSONValue) in
                let first = value.array?.first ?? value
                return (name, .string(first.string ?? first.text))
            })
    }

    private var pascalWords: String {
        words.flatMap { $0.split(separator: "-") }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// For who asks what there is.
    func offer(below root: String) -> JSONObject {
        [
            "command": .string(words.joined(separator: " ")), "method": .string(route.method),
            "path": .string(root + route.path), "changes": .bool(isChange), "about": .string(abstract),
            "arguments": .array(
                arguments.map { argument in
                    var told: JSONObject = [
                        "name": .string(argument.name), "kind": .string(argument.kind.rawValue),
                        "in": .string(place(of: argument)), "required": .bool(!argument.isOptional),
                        "repeats": .bool(argument.isRepeating), "about": .string(argument.about),
                    ]
                    if !argument.values.isEmpty { told["values"] = JSONValue(strings: argument.values) }
                    return .object(told)
                }),
        ]
    }

    private func place(of argument: AdminArgument) -> String {
        if route.parameters.contains(argument.name) { return "path" }
        return route.method == "GET" ? "query" : "body"
    }
}

extension AdminArgument {
    /// As a member of a schema.
    var word: String {
        let isPassword = name == AdminArgument.stdin
        let type =
            kind == .flag && !isPassword
            ? "boolean" : isFile ? "any" : isRepeating ? "[\(one)]" : one
        return name + (isNeeded ? "!" : "") + ":" + type
    }

    /// What stdin holds is asked for by a flag, which the command wants.
    private var isNeeded: Bool { kind != .flag && !isOptional && !isRepeating }

    private var one: String {
        let arePlain = values.allSatisfy { value in
            value.allSatisfy { $0.isLetter || $0.isNumber || "._-".contains($0) }
        }
        return values.isEmpty || !arePlain ? "string,integer" : "=" + values.joined(separator: "|")
    }

    /// As a parameter of a query, which is text.
    var queryWord: String {
        kind == .flag ? name + ":=true|false" : isRepeating ? name + ":[string]" : name + ":string"
    }
}

extension EndpointShape {
    private static let key = "Idempotency-Key"

    static func running(_ entry: AdminEntry, in catalog: AdminCatalog) -> EndpointShape {
        let isQuery = entry.route.method == "GET"
        var headers: [String] = [], others = [OtherAnswer.oauthError], errors = [404, 409, 422, 429]
        if isQuery && !entry.isList { (headers, others) = (["If-None-Match"], [.unchanged] + others) }
        if entry.isChange { headers.append(key) }
        if entry.isChange, catalog.thing(of: entry) != nil { headers.append("If-Match") }
        if entry.isChange { errors.append(412) }
        if entry.makesSomething {
            others.insert(OtherAnswer("200", "Of a dry run, or done before", "AdminAnswer"), at: 0)
        }
        var meanings = Dictionary(entry.arguments.map { ($0.name, $0.about) }) { first, _ in first }
        meanings[key] = "A change is done once under it, and answered alike for a day."
        meanings["If-Match"] = "The `ETag` under which the thing was read: 412 where it is another one."
        let isMaking = entry.makesSomething
        return EndpointShape(
            query: isQuery ? entry.bodyArguments.map(\.queryWord) : [], headers: headers, body: entry.bodySchema,
            answer: entry.isList && isQuery ? "AdminList" : "AdminAnswer", status: isMaking ? 201 : 200,
            about: about(entry), meanings: meanings.filter { !$0.value.isEmpty },
            answerHeaders: isMaking
                ? ["Location": "Where it can be read, if it can."]
                : isQuery && !entry.isList ? ["ETag": "What it is now, for If-None-Match and If-Match."] : [:],
            others: others, errors: errors)
    }

    private static func about(_ entry: AdminEntry) -> String {
        let command = "`pando admin \(entry.words.joined(separator: " "))`."
        let scope = entry.isChange ? "With scope `admin`." : "With scope `admin` or `admin.read`."
        return [command, entry.discussion, scope].filter { !$0.isEmpty }.joined(separator: " ")
    }

    static let offers = EndpointShape(
        headers: ["If-None-Match"], answer: "AdminOffers", about: "With scope `admin` or `admin.read`.",
        others: [.unchanged, .oauthError], errors: [429])
}

extension AdminCatalog {
    /// What its endpoints take and answer.
    var schemas: [OpenAPISchema] {
        [
            OpenAPISchema(
                "AdminAnswer", "As the command line has it with `--json`.", type: "object",
                example: ["id": "learn", "base": "https://learn.example.org", "status": "active"]),
            OpenAPISchema(
                "AdminList", "A page of a list.",
                ["items!:[any]": "", "next:string?!": "For `after`; null on the last page."],
                example: ["items": [["id": "learn", "base": "https://learn.example.org"]], "next": "learn"]),
            OpenAPISchema(
                "AdminOffers", "Who asks, and what they may ask for.",
                [
                    "caller!": "`account:UUID` or `client:ID`.", "username": "Of a person.",
                    "changes!:boolean": "The token may change things.",
                    "roles!:[object]": "Of a person.", "items!:[object]": "Commands, with method, path and arguments.",
                ],
                example: [
                    "caller": "client:Xh2p", "changes": true, "roles": [["role": "administrator"]],
                    "items": [
                        ["command": "services show", "method": "GET", "path": "/admin/api/v1/services/{service}"]
                    ],
                ]),
        ]
            + entries.compactMap { entry in
                entry.bodySchema.map { name in
                    OpenAPISchema(
                        name, entry.abstract, first: entry.bodyArguments.map { (word: $0.word, meaning: $0.about) },
                        [:], example: .object(entry.bodyExample))
                }
            }
    }
}
