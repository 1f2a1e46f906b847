import Base
import PowerAuth

/// What an application's phones speak (docs/operations.md, "PowerAuth 4"). The raw values are the wire's.
public enum PhoneProtocol: String, Sendable, CaseIterable, Comparable {
    case three = "3.3"
    case four = "4.0"

    /// As the status blob counts them.
    var number: UInt8 { self == .three ? 3 : 4 }

    public static func < (left: PhoneProtocol, right: PhoneProtocol) -> Bool { left.number < right.number }
}

/// Which protocols an application takes, and which algorithms its phones may agree with in protocol 4.
public struct ProtocolChoice: Sendable, Equatable {
    public let protocols: Set<PhoneProtocol>
    /// In the order in which they are told; empty without protocol 4.
    public let algorithms: [SharedSecretAlgorithm]

    static let three = ProtocolChoice(protocols: [.three], known: [])

    private init(protocols: Set<PhoneProtocol>, known: Set<SharedSecretAlgorithm>) {
        self.protocols = protocols
        algorithms = SharedSecretAlgorithm.allCases.filter(known.contains)
    }

    /// Protocol 4 without a word about algorithms takes all of them.
    public init(protocols: [String], algorithms: [String]?) throws(BackOfficeRefusal) {
        let versions = protocols.map(PhoneProtocol.init(rawValue:)),
            names = algorithms?.map(SharedSecretAlgorithm.init(rawValue:))
        guard !versions.isEmpty, !versions.contains(nil) else {
            throw .request("protocols are one or both of 3.3 and 4.0")
        }
        guard names?.contains(nil) != true else {
            throw .request(
                "algorithms are some of \(SharedSecretAlgorithm.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        let chosen = Set(versions.compactMap { $0 })
        guard chosen.contains(.four) else {
            guard names?.isEmpty != false else { throw .request("protocol 3.3 has no algorithms to choose from") }
            self.init(protocols: chosen, known: [])
            return
        }
        guard names?.isEmpty != true else { throw .request("protocol 4.0 needs an algorithm") }
        self.init(
            protocols: chosen, known: Set(names?.compactMap { $0 } ?? SharedSecretAlgorithm.allCases))
    }

    /// PUT /v2/applications/{id}.
    public init(_ json: JSONValue) throws(BackOfficeRefusal) {
        let members = try BackOfficeMembers(json)
        guard let protocols = try members.strings("protocols") else { throw .request("protocols is missing") }
        try self.init(protocols: protocols, algorithms: try members.strings("algorithms"))
    }

    /// From its row, whose checks admit nothing else.
    init(stored protocols: [String], _ algorithms: [String]) {
        self.init(
            protocols: Set(protocols.compactMap(PhoneProtocol.init(rawValue:))),
            known: Set(algorithms.compactMap(SharedSecretAlgorithm.init(rawValue:))))
    }

    /// `protocolNotTaken` or `algorithmNotTaken` for a phone that would begin in protocol 4.
    func admit(_ algorithm: SharedSecretAlgorithm) throws(PowerAuthRefusal) {
        guard takes(.four) else { throw .protocolNotTaken }
        guard algorithms.contains(algorithm) else { throw .algorithmNotTaken }
    }

    func takes(_ version: PhoneProtocol) -> Bool { protocols.contains(version) }

    var protocolNames: [String] { protocols.sorted().map(\.rawValue) }
    var algorithmNames: [String] { algorithms.map(\.rawValue) }
    var highest: PhoneProtocol { protocols.max() ?? .three }
}
