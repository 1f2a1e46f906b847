import Foundation
import PandoClient
import Synchronization

/// A transport whose answers are made by the test, and which remembers what was asked.
final class ScriptedServer: Sendable {
    struct Away: Error {}

    private let asked = Mutex<[Transport.Request]>([])
    private let answer: @Sendable (_ number: Int, Transport.Request) async throws -> Transport.Response

    init(answer: @escaping @Sendable (_ number: Int, Transport.Request) async throws -> Transport.Response) {
        self.answer = answer
    }

    var requests: [Transport.Request] { asked.withLock { $0 } }

    var transport: Transport {
        Transport { request in
            let number = self.asked.withLock { requests in
                requests.append(request)
                return requests.count
            }
            return try await self.answer(number, request)
        }
    }

    /// The answer of a token endpoint.
    static func tokens(_ access: String, refresh: String, seconds: Int = 3_600) throws -> Transport.Response {
        let body: JSON = [
            "access_token": .string(access), "refresh_token": .string(refresh), "token_type": "DPoP",
            "expires_in": .integer(seconds),
        ]
        return Transport.Response(status: 200, body: try body.bytes())
    }
}

extension Transport.Request {
    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
    var form: String { String(decoding: body, as: UTF8.self) }
}
