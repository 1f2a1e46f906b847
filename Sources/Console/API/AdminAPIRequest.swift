import Administration
import Base
import HTTP
import HTTPTypes
import Hummingbird
import Vocabulary

/// The arguments of a command as a request has them: of its path, and of its query where it looks or deletes, else of
/// its body.
enum AdminAPIRequest {
    static func arguments(
        of entry: AdminEntry, _ request: Request, _ context: RoutedContext
    ) async throws -> JSONObject {
        var arguments = try await query(of: entry, request)
        if entry.route.method != "GET" {
            for (name, value) in try await body(request) {
                // First: a body has room for thousands, and each would be looked for among all others.
                try entry.argument(name)
                guard arguments[name] == nil else { throw AdminFailure(.usage, "\(name.prefix(80)) comes twice") }
                arguments[name] = value
            }
        }
        for name in entry.route.parameters {
            guard arguments[name] == nil else { throw AdminFailure(.usage, "\(name) stands in the address already") }
            arguments[name] = .string(try segment(context.parameters.get(name) ?? ""))
        }
        return arguments
    }

    /// A part of a path: `%2F` is no separator, and `+` no blank.
    static func segment(_ raw: String) throws -> String {
        do { return try FormCodec.decode(raw.replacing("+", with: "%2B").utf8) } catch {
            throw AdminFailure(.usage, "the address is not percent-encoded UTF-8 without NUL")
        }
    }

    private static func query(of entry: AdminEntry, _ request: Request) async throws -> JSONObject {
        let items = try QueryItems(request).items
        guard items.isEmpty || ["GET", "DELETE"].contains(entry.route.method) else {
            throw AdminFailure(.usage, "arguments of a \(entry.route.method) stand in its body, not in the address")
        }
        var found: JSONObject = [:]
        for (name, value) in items {
            let argument = try entry.argument(name)
            if argument?.kind == .flag {
                guard value == "true" || value == "false", found[name] == nil else {
                    throw AdminFailure(.usage, "\(name) is true or false, once")
                }
                found[name] = .bool(value == "true")
            } else if argument?.isRepeating == true {
                found[name] = .array((found[name]?.array ?? []) + [.string(value)])
            } else {
                guard found[name] == nil else { throw AdminFailure(.usage, "\(name.prefix(80)) comes twice") }
                found[name] = .string(value)
            }
        }
        return found
    }

    private static func body(_ request: Request) async throws -> JSONObject {
        guard BodyReading.mediaType(request) != nil else {
            guard try await BodyReading.bytes(request).isEmpty else {
                throw OAuthError(.unsupportedMediaType, "send application/json")
            }
            return [:]
        }
        guard let members = try await BodyReading.json(request).object else {
            throw AdminFailure(.usage, "the body must be a JSON object")
        }
        return members
    }
}

extension AdminEntry {
    /// The one of that name; `nil` for what is read of stdin where no argument asks for it. Throws `AdminFailure`.
    @discardableResult
    fileprivate func argument(_ name: String) throws -> AdminArgument? {
        let found = arguments.first { $0.name == name }
        guard found != nil || name == AdminArgument.stdin else {
            throw AdminFailure(.usage, "there is no member \(name.prefix(80))")
        }
        return found
    }
}

extension AdminRoute {
    /// Their names, in the order of the path.
    var parameters: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }
}
