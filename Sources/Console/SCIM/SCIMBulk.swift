import Base
import Foundation
import OAuth
import Vocabulary

/// Many operations in one request (RFC 7644, 3.7), each a transaction of its own, in their order but for those that
/// name what a later one makes.
struct SCIMBulk: Sendable {
    static let schema = "urn:ietf:params:scim:api:messages:2.0:BulkRequest"

    struct Operation: Sendable {
        let method: String
        let path: String
        let bulkID: String?
        let version: String?
        let data: JSONValue?
    }

    /// Of `/scim/v2`.
    private let base: String
    let operations: [Operation]
    /// After so many errors the rest is left; `nil`: never.
    let failOnErrors: Int?

    init(_ body: JSONValue, base: String) throws {
        self.base = base
        guard body.member("schemas")?.strings?.contains(SCIMBulk.schema) == true else {
            throw SCIMRefusal(.invalidSyntax, "schemas names \(SCIMBulk.schema)")
        }
        guard let items = body.member("Operations")?.array else {
            throw SCIMRefusal(.invalidSyntax, "Operations is an array")
        }
        guard items.count <= SCIMDiscovery.mostOperations else {
            throw OAuthError(.tooLarge, "there are more than \(SCIMDiscovery.mostOperations) operations")
        }
        switch body.member("failOnErrors") {
        case nil, .null?: failOnErrors = nil
        case .integer(let most)? where most > 0: failOnErrors = most
        default: throw SCIMRefusal(.invalidValue, "failOnErrors is a whole number from 1")
        }
        var known: Set<String> = []
        operations = try items.map { item in
            guard let method = item.member("method")?.string?.uppercased(), let path = item.member("path")?.string,
                ["POST", "PUT", "PATCH", "DELETE"].contains(method)
            else {
                throw SCIMRefusal(.invalidSyntax, "an operation has a method, POST, PUT, PATCH or DELETE, and a path")
            }
            let id = item.member("bulkId")?.string
            if method == "POST" {
                guard let id, !id.isEmpty, known.insert(id).inserted else {
                    throw SCIMRefusal(.invalidSyntax, "a POST has a bulkId of its own")
                }
            }
            return Operation(
                method: method, path: path, bulkID: id, version: item.member("version")?.string,
                data: item.member("data"))
        }
    }

    // MARK: Run

    /// `perform` does one whose references stand for what they mean; `refused` tells an error.
    func run(
        _ perform: (Operation) async throws -> SCIMAnswer, refused: (any Error) throws -> SCIMRefusal
    ) async throws -> JSONObject {
        var answers: [Int: JSONObject] = [:], made: [String: String] = [:], errors = 0
        var waiting = Array(operations.indices)
        let references = operations.map(\.references)
        let promised = Set(operations.compactMap { $0.method == "POST" ? $0.bulkID : nil })
        while !waiting.isEmpty {
            var later: [Int] = []
            for index in waiting {
                if let failOnErrors, errors >= failOnErrors { break }
                let operation = operations[index].resolved(made), missing = references[index].subtracting(made.keys)
                if !missing.isEmpty, missing.isSubset(of: promised) {
                    later.append(index)
                    continue
                }
                do {
                    guard missing.isEmpty else {
                        throw SCIMRefusal(
                            .invalidValue, "no operation has the bulkId \(missing.sorted()[0].prefix(80))")
                    }
                    let answer = try await perform(operation)
                    if let id = operation.bulkID, let location = answer.location {
                        made[id] = String(location.split(separator: "/").last ?? "")
                    }
                    answers[index] = told(operation, answer)
                } catch {
                    errors += 1
                    answers[index] = told(operation, try refused(error))
                }
            }
            if let failOnErrors, errors >= failOnErrors { break }
            // What is left waits for one another, or for what could not be made.
            if later.count == waiting.count {
                for index in later {
                    let refusal = SCIMRefusal(status: 409, "what it refers to by bulkId was not made")
                    answers[index] = told(operations[index], refusal)
                }
                later = []
            }
            waiting = later
        }
        return [
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkResponse"],
            "Operations": .array(answers.sorted { $0.key < $1.key }.map { .object($0.value) }),
        ]
    }

    private func told(_ operation: Operation, _ answer: SCIMAnswer) -> JSONObject {
        var members = told(operation)
        if let location = answer.location { members["location"] = .string(location) }
        members["version"] = answer.tag.map(JSONValue.string)
        members["status"] = .string(String(answer.status))
        return members
    }

    private func told(_ operation: Operation, _ refusal: SCIMRefusal) -> JSONObject {
        var members = told(operation)
        members["status"] = .string(String(refusal.status))
        members["response"] = .object(refusal.json)
        return members
    }

    private func told(_ operation: Operation) -> JSONObject {
        var members: JSONObject = ["method": .string(operation.method)]
        // Always, but of what a POST did not make (RFC 7644, 3.7).
        if operation.method != "POST", !operation.path.contains(SCIMBulk.Operation.mark) {
            members["location"] = .string("\(base)/\(operation.path.split(separator: "/").joined(separator: "/"))")
        }
        members["bulkId"] = operation.bulkID.map(JSONValue.string)
        return members
    }
}

extension SCIMBulk.Operation {
    fileprivate static let mark = "bulkId:"

    /// The ids of operations that it names.
    fileprivate var references: Set<String> {
        var found: Set<String> = []
        for part in path.split(separator: "/") where part.hasPrefix(Self.mark) {
            found.insert(String(part.dropFirst(Self.mark.count)))
        }
        if let data { Self.collect(data, into: &found) }
        return found
    }

    private static func collect(_ value: JSONValue, into found: inout Set<String>) {
        switch value {
        case .string(let text) where text.hasPrefix(mark): found.insert(String(text.dropFirst(mark.count)))
        case .array(let items): for item in items { collect(item, into: &found) }
        case .object(let members): for (_, item) in members { collect(item, into: &found) }
        default: break
        }
    }

    fileprivate func resolved(_ made: [String: String]) -> Self {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            part.hasPrefix(Self.mark) ? made[String(part.dropFirst(Self.mark.count))] ?? String(part) : String(part)
        }
        return Self(
            method: method, path: parts.joined(separator: "/"), bulkID: bulkID, version: version,
            data: data.map { Self.resolved($0, made) })
    }

    private static func resolved(_ value: JSONValue, _ made: [String: String]) -> JSONValue {
        switch value {
        case .string(let text) where text.hasPrefix(mark):
            made[String(text.dropFirst(mark.count))].map(JSONValue.string) ?? value
        case .array(let items): .array(items.map { resolved($0, made) })
        case .object(let members): .object(JSONObject(members.map { ($0.name, resolved($0.value, made)) }))
        default: value
        }
    }
}
