import Base

/// Which process of several writes a line or records a span.
public struct ProcessName: Sendable, Equatable {
    /// What the operator calls the machine, container or pod: `node-name`.
    public let node: String
    /// Its number there.
    public let process: Int32

    public init(node: String, process: Int32) { (self.node, self.process) = (node, process) }

    /// `service.instance.id` of traces: no two that run at the same time have it.
    public var instance: String { "\(node)/\(process)" }

    /// The members that a line of JSON has of it.
    public var members: JSONObject { ["node": .string(node), "process": .integer(Int(process))] }
}
