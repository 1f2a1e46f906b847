import Base
import PandoClient

/// Remembers what `PandoClient` exchanges, for a demo that shows it.
public actor DemoRecorder {
    private var exchanges: [DemoExchange] = []

    public init() {}

    /// Over `wire`.
    public nonisolated func transport(_ wire: DemoWire) -> Transport {
        Transport { request in
            let (exchange, response) = try await wire.exchange(DemoRequest(request))
            await self.add(exchange)
            return response
        }
    }

    private func add(_ exchange: DemoExchange) { exchanges.append(exchange) }

    private func take() -> [DemoExchange] {
        defer { exchanges = [] }
        return exchanges
    }

    /// What `body` made, and its exchanges in their order: one at least.
    /// - Throws: `DemoFailure`, with the exchange that failed.
    public nonisolated func record<Result: Sendable>(
        _ body: () async throws -> Result
    ) async throws -> (Result, first: DemoExchange, last: DemoExchange) {
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        let exchanges = await take()
        guard let first = exchanges.first, let last = exchanges.last else { throw DemoFailure.nothingAsked }
        do {
            return (try result.get(), first, last)
        } catch is OAuthError {
            throw DemoFailure.refused(last)
        } catch let answer as UnexpectedAnswer {
            throw DemoFailure.unexpected(last, answer.description)
        } catch let other as AnotherIssuer {
            throw DemoFailure.anotherIssuer(asked: other.asked, says: other.says)
        }
    }

    /// The first exchange of `body`, whatever was answered.
    public nonisolated func answer(_ body: () async throws -> Void) async throws -> DemoExchange {
        do { try await body() } catch is OAuthError {}
        guard let first = await take().first else { throw DemoFailure.nothingAsked }
        return first
    }
}

extension DemoRequest {
    /// As PandoClient has it.
    public init(_ request: Transport.Request) {
        let type = request.headers.first { $0.name == "Content-Type" }?.value
        let body: Body =
            switch type {
            case "application/x-www-form-urlencoded": .form(DemoRequest.pairs(request.body))
            case "application/json": .json((try? JSONReader.read(request.body)) ?? .null)
            default: .none
            }
        self.init(
            method: request.method, url: request.url, headers: request.headers.filter { $0.name != "Content-Type" },
            body: body)
    }

    /// In the order of the form, which a dictionary would not keep.
    private static func pairs(_ form: [UInt8]) -> [(String, String)] {
        form.split(separator: UInt8(ascii: "&")).compactMap { pair in
            let words = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard words.count == 2, let name = try? FormCodec.decode(words[0]),
                let value = try? FormCodec.decode(words[1])
            else { return nil }
            return (name, value)
        }
    }
}
