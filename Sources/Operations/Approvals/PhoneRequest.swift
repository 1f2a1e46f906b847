import Base

/// A request of the Mobile Token API, as far as this room reads it.
public struct PhoneRequest: Sendable {
    /// `X-PowerAuth-Authorization`.
    public let authorization: String?
    /// `X-PowerAuth-Token`.
    public let token: String?
    /// The bytes as they came: signatures cover them.
    public let body: [UInt8]
    /// `Accept-Language`.
    public let language: String?
    /// Address it came from.
    public let origin: String?

    public init(authorization: String?, token: String?, body: [UInt8], language: String?, origin: String?) {
        (self.authorization, self.token, self.body, self.language, self.origin) = (
            authorization, token, body, language, origin
        )
    }
}

/// `{"requestObject": {…}}` (protocols/operations.md, 1.1). `null` counts as left out, unknown members are ignored.
struct PhoneBody: Sendable {
    private let object: JSONObject

    init(_ bytes: [UInt8]) throws(OperationsRefusal) {
        guard let json = try? JSONReader.read(bytes), let object = json["requestObject"]?.object else {
            throw .invalidRequest("the body is no request object")
        }
        self.object = object
    }

    subscript(name: String) -> JSONValue? {
        guard let value = object[name], value != .null else { return Optional.none }
        return value
    }

    func text(_ name: String, limit: Int) throws(OperationsRefusal) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string, text.unicodeScalars.count <= limit else {
            throw .invalidRequest("\(name) is a string of at most \(limit) characters")
        }
        return text
    }

    func required(_ name: String, limit: Int) throws(OperationsRefusal) -> String {
        guard let text = try self.text(name, limit: limit), !text.isEmpty else {
            throw .invalidRequest("\(name) is missing")
        }
        return text
    }

    /// What the app tells besides: any object, kept as it is.
    func mobileTokenData() throws(OperationsRefusal) -> JSONValue? {
        guard let value = self["mobileTokenData"] else { return Optional.none }
        guard value.object != nil else { throw .invalidRequest("mobileTokenData is an object") }
        return value
    }
}

/// The request object of `authorize`.
struct AuthorizeBody: Sendable {
    let id: String
    let data: String
    /// `nil` without a proximity check.
    let otp: String?
    /// What else it tells of that; it decides nothing.
    let proximity: ProximityReport?
    let mobileTokenData: JSONValue?

    init(_ bytes: [UInt8]) throws(OperationsRefusal) {
        let body = try PhoneBody(bytes)
        id = try body.required("id", limit: 64)
        guard let data = body["data"]?.string else { throw .invalidRequest("data is missing") }
        self.data = data
        if let check = body["proximityCheck"] {
            guard let members = check.object else { throw .invalidRequest("proximityCheck is an object") }
            (otp, proximity) = (members["otp"]?.string, ProximityReport(members))
        } else {
            (otp, proximity) = (nil, nil)
        }
        mobileTokenData = try body.mobileTokenData()
    }
}

/// The request object of `cancel`.
struct RejectBody: Sendable {
    let id: String
    /// Kept, never interpreted.
    let reason: String?
    let mobileTokenData: JSONValue?

    init(_ bytes: [UInt8]) throws(OperationsRefusal) {
        let body = try PhoneBody(bytes)
        id = try body.required("id", limit: 64)
        reason = try body.text("reason", limit: 256)
        mobileTokenData = try body.mobileTokenData()
    }
}
