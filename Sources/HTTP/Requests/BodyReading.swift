import Base
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Vocabulary

/// Bodies as the contract has them: at most 64 KiB, form or JSON, each parameter once (but for
/// `resource`, see `OAuthParameters`), UTF-8 without NUL (api.md).
public enum BodyReading {
    public static let limit = 64 * 1024

    public static func bytes(_ request: Request, limit: Int = BodyReading.limit) async throws -> [UInt8] {
        guard !isPacked(request) else {
            throw OAuthError(
                .unsupportedMediaType, "send the body as it is: nothing with a Content-Encoding is unpacked")
        }
        var body: [UInt8] = []
        do {
            for try await piece in request.body {
                guard body.count + piece.readableBytes <= limit else {
                    throw OAuthError(.tooLarge, "the body is larger than \(limit / 1024) KiB")
                }
                body += piece.readableBytesView
            }
        } catch let refusal as OAuthError {
            throw refusal
        } catch is RequestDeadline.BodyTooSlow {
            throw OAuthError(.invalidRequest, "the body did not arrive in time", status: 408)
        } catch {
            // Its framing is wrong, or its sender has gone.
            throw OAuthError(.invalidRequest, "the body cannot be read to its end", cause: "\(error)")
        }
        return body
    }

    /// With its body in memory: to be read twice, or before something is taken for which others wait.
    static func whole(_ request: Request) async throws -> Request {
        Request(head: request.head, body: .init(buffer: .init(bytes: try await bytes(request))))
    }

    /// RFC 9110, 8.4: what says that it is packed is refused before it is read, so that no few bytes become many.
    /// Places of a list that are empty say nothing (5.6.1.2).
    static func isPacked(_ request: Request) -> Bool {
        guard let codings = request.headers[.contentEncoding] else { return false }
        return codings.split(separator: ",").contains {
            !["", "identity"].contains($0.trimmingCharacters(in: .whitespaces).lowercased())
        }
    }

    /// The parameters of an OAuth request, from either form of body.
    public static func parameters(_ request: Request) async throws -> Vocabulary.OAuthParameters {
        let body = try await bytes(request)
        switch mediaType(request) {
        case "application/json":
            guard let object = try json(body).object else {
                throw OAuthError(.invalidRequest, "the body must be a JSON object")
            }
            return Vocabulary.OAuthParameters(json: object)
        case "application/x-www-form-urlencoded":
            return try form(body)
        case nil where body.isEmpty:
            return Vocabulary.OAuthParameters([:])
        default:
            throw OAuthError(.unsupportedMediaType, "send application/x-www-form-urlencoded or application/json")
        }
    }

    /// A JSON body of any shape.
    public static func json(_ request: Request) async throws -> JSONValue {
        guard mediaType(request) == "application/json" else {
            throw OAuthError(.unsupportedMediaType, "send application/json")
        }
        return try json(try await bytes(request))
    }

    /// The same, whatever type the sender says it is; not `nil`, which would be JSON's null, but `.none` where there is
    /// no body.
    public static func anyJSON(_ request: Request) async throws -> JSONValue? {
        let body = try await bytes(request)
        guard !body.isEmpty else { return Optional.none }
        return try json(body)
    }

    private static func json(_ body: [UInt8]) throws -> JSONValue {
        do {
            return try JSONReader.read(body)
        } catch .duplicate(let name) {
            throw OAuthError(.invalidRequest, "member \(name.prefix(80)) comes twice")
        } catch .nulByte {
            throw OAuthError(.invalidRequest, "a NUL character is not text")
        } catch .badEncoding {
            throw OAuthError(.invalidRequest, "the body is not UTF-8")
        } catch {
            throw OAuthError(.invalidRequest, "the body is not JSON")
        }
    }

    private static func form(_ body: [UInt8]) throws -> Vocabulary.OAuthParameters {
        do {
            return try Vocabulary.OAuthParameters(form: body)
        } catch .duplicate(let name) {
            throw OAuthError(.invalidRequest, "parameter \(name.prefix(80)) comes twice")
        } catch .nulByte {
            throw OAuthError(.invalidRequest, "a NUL character is not text")
        } catch {
            throw OAuthError(.invalidRequest, "the form is not percent-encoded UTF-8")
        }
    }

    public static func mediaType(_ request: Request) -> String? {
        guard let header = request.headers[.contentType] else { return nil }
        // As nearly all spell it.
        if header == "application/x-www-form-urlencoded" || header == "application/json" { return header }
        guard let name = header.utf8.split(separator: UInt8(ascii: ";")).first else { return nil }
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let first = name.firstIndex(where: { !isBlank($0) }), let last = name.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(Substring(name[first...last])).lowercased()
    }
}
