import Base
import Foundation
import Keys
import Testing

/// Two self-signed certificates on P-256 keys, made by OpenSSL, valid for a hundred years: CN=one and CN=two,
/// O=Example, with alternative names of every kind.
enum ClientRegistrationCertificates {
    static func one(isTrusted: Bool = true) throws -> ClientCertificate {
        try ClientCertificate(der: try bytes(first), isTrusted: isTrusted)
    }
    static func two(isTrusted: Bool = true) throws -> ClientCertificate {
        try ClientCertificate(der: try bytes(second), isTrusted: isTrusted)
    }

    /// The key of the first.
    static let key: JSONValue = [
        "kty": "EC", "crv": "P-256", "x": "LlZQMyAPJkVbespURbR2zs-JsSWdCr0EUca4zNLCfAc",
        "y": "5DpHeT11ZFHHsdGbiDRDVRRPpiBOffRrpHYUZNH9kWs",
    ]

    /// As it stands in `x5c`.
    static let first =
        """
        MIICBDCCAaqgAwIBAgIUQzJatuiCc57g8Bnw+tK/R92ny0gwCgYIKoZIzj0EAwIwIDEMMAoGA1UEAwwDb25lMRAwDgYDVQQKDAdFeGFtcGxl\
        MCAXDTI2MTEyMTE5NDUzOFoYDzIxMjYxMDI4MTk0NT
        """
            + """
            M4WjAgMQwwCgYDVQQDDANvbmUxEDAOBgNVBAoMB0V4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQuVlAzIA8mRVt6ylRFtH\
            bOz4mxJZ0KvQRRxrjM0sJ8B+Q6R3k9dWRRx7HRm4g0Q1UU
            """
            + """
            T6YgTn30a6R2FGTR/ZFro4G/MIG8MB0GA1UdDgQWBBQSkZMjl/83klinFGVv2ZWS1otLZDAfBgNVHSMEGDAWgBQSkZMjl/83klinFGVv\
            2ZWS1otLZDAPBgNVHRMBAf8EBTADAQH/MGkGA1UdEQRiMG
            """
            + """
            CCEm9uZS5jbGllbnQuZXhhbXBsZYIOKi53aWxkLmV4YW1wbGWGDnVybjpjbGllbnQ6b25lhxAgAQ24AAAAAAAAAAAAAAABhwTAAAIBgR\
            JvbmVAY2xpZW50LmV4YW1wbGUwCgYIKoZIzj0EAwIDSAAw
            """
        + "RQIhAMrGEhlvHx77zP4TEBQqL4+Qmx+gH1rW4Ko4ldHYZ0cRAiBBgkZqndWy/IpzJv86afut4zQj86bFiyTWl74CmzsESg=="

    private static let second =
        """
        MIICBTCCAaqgAwIBAgIUfqjAAz7MtRpkuihcWasiqUzuBAIwCgYIKoZIzj0EAwIwIDEMMAoGA1UEAwwDdHdvMRAwDgYDVQQKDAdFeGFtcGxl\
        MCAXDTI2MTEyMTE5NDUzOFoYDzIxMjYxMDI4MTk0NT
        """
            + """
            M4WjAgMQwwCgYDVQQDDAN0d28xEDAOBgNVBAoMB0V4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASXnTQ90HRbv/wLbxFYEA\
            tZH0wNUzlCUSBb3wx5JTltsZ3sFRO8IqqB+w+h9lgRc/rx
            """
            + """
            9e/MinabUrNrBEtnNLIto4G/MIG8MB0GA1UdDgQWBBTOVKlq2BQ2MPN5VPhgpEJCROVWkzAfBgNVHSMEGDAWgBTOVKlq2BQ2MPN5VPhg\
            pEJCROVWkzAPBgNVHRMBAf8EBTADAQH/MGkGA1UdEQRiMG
            """
            + """
            CCEnR3by5jbGllbnQuZXhhbXBsZYIOKi53aWxkLmV4YW1wbGWGDnVybjpjbGllbnQ6dHdvhxAgAQ24AAAAAAAAAAAAAAABhwTAAAIBgR\
            J0d29AY2xpZW50LmV4YW1wbGUwCgYIKoZIzj0EAwIDSQAw
            """
        + "RgIhAPIxFYxM8D2tbutBERU9AQ8sM+hcjeH+J6ligxlmW4DYAiEA4fw+1VWOOonGopfzf/9rxpODyXLAqW13Gae426XVp/s="

    private static func bytes(_ text: String) throws -> [UInt8] { [UInt8](try #require(Data(base64Encoded: text))) }
}
