/// What the client brings of a new credential (WebAuthn, 6.5.4).
struct AttestationObject: Sendable {
    static let sizeLimit = 64 * 1024

    let bytes: [UInt8]
    let format: AttestationFormat
    let statement: [CBOR.Key: CBOR]
    let data: AuthenticatorData

    /// R8, R15. Unknown formats are told from malformed ones; unknown members refuse.
    init(_ bytes: [UInt8]) throws(WebAuthnRefusal) {
        guard bytes.count <= Self.sizeLimit, let value = try? CBORReader.read(bytes), value.map?.count == 3,
            let name = value["fmt"]?.text,
            let statement = value["attStmt"]?.map, let data = value["authData"]?.bytes
        else { throw .attestationObjectMalformed }
        self.bytes = bytes
        self.statement = statement
        self.data = try AuthenticatorData(data)
        guard let format = AttestationFormat.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) }) else {
            throw .formatUnknown
        }
        self.format = format
    }
}
