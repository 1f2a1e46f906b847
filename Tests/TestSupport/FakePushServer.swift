import Base
import Push
import Synchronization

/// Stands for whoever takes pushes: keeps what it is sent, and answers as the test says.
public final class FakePushServer: Sendable {
    private let taken = Mutex<[PushHTTP.Request]>([])
    private let answer: @Sendable (PushHTTP.Request, _ number: Int) -> PushHTTP.Answer

    /// `number` counts from 1.
    public init(
        _ answer: @escaping @Sendable (PushHTTP.Request, _ number: Int) -> PushHTTP.Answer = { _, _ in
            PushHTTP.Answer(status: 200, body: [])
        }
    ) { self.answer = answer }

    public var requests: [PushHTTP.Request] { taken.withLock { $0 } }

    public var http: PushHTTP {
        PushHTTP { [self] request in
            let number = taken.withLock { taken in
                taken.append(request)
                return taken.count
            }
            return answer(request, number)
        }
    }
}

extension PushHTTP.Request {
    public var json: JSONValue? { try? JSONReader.read(body) }
    public func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}
