import Base

/// A refusal in the form of a service's own protocol. Where it meets a page of the IdP it is told as an error of OAuth.
public protocol ProtocolRefusal: Error, CustomStringConvertible {
    var status: Int { get }
    /// For the log.
    var code: String { get }
    /// What the caller is told.
    var json: JSONObject { get }
}
