import Base
import Push
import Synchronization
import Tiqr

/// Stands for whoever takes pushes: keeps what it is sent, and answers as the test says.
final class FakePushServer: Sendable {
    private let taken = Mutex<[PushHTTP.Request]>([])
    private let answer: @Sendable (PushHTTP.Request, _ number: Int) -> PushHTTP.Answer

    /// `number` counts from 1.
    init(
        _ answer: @escaping @Sendable (PushHTTP.Request, _ number: Int) -> PushHTTP.Answer = { _, _ in
            PushHTTP.Answer(status: 200, body: [])
        }
    ) { self.answer = answer }

    var requests: [PushHTTP.Request] { taken.withLock { $0 } }

    var http: PushHTTP {
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
    var json: JSONValue? { try? JSONReader.read(body) }
    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}
