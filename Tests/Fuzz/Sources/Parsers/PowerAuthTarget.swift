import Base
import Foundation
import Harness

@testable import PowerAuth

/// What phones of PowerAuth 4 send before anything in it is believed: the first byte tells which parser.
enum PowerAuthTarget {
    static let target = Target("powerauth", run: run)

    private static let pair = try? HybridKeyPair.fresh(.p384)

    private static func run(_ input: [UInt8]) {
        guard let kind = input.first else { return }
        let rest = Array(input.dropFirst()), text = String(decoding: rest, as: UTF8.self)
        switch kind % 6 {
        case 0: envelope(rest)
        case 1: secret(rest)
        case 2: exchange(rest)
        case 3: token(text)
        case 4: configuration(text)
        default: header(text)
        }
    }

    private static func envelope(_ body: [UInt8]) {
        guard let request = try? SealedRequest(body: body) else { return }
        require((try? SealedRequest(json: request.json)) == request, "an envelope is read as it is written")
        require(request.nonce.count == 24 && request.timestamp >= 0, "an envelope has its lengths")
        let context = EnvelopeContext(
            secret: SecretBytes([UInt8](repeating: 1, count: 32)), label: .activation, applicationKey: "",
            applicationSecret: SecretBytes([UInt8](repeating: 1, count: 16)), temporaryKeyID: request.temporaryKeyID)
        require((try? context.open(request)) == nil, "nobody seals by chance")
    }

    private static func secret(_ body: [UInt8]) {
        guard let json = try? JSONReader.read(body, depth: 4) else { return }
        if let request = try? SharedSecretRequest(json: json) {
            require((try? SharedSecretRequest(json: request.json)) == request, "a request is read as it is written")
            let answer = try? request.answer(.system)
            require(answer.map { $0.secret.count == 32 } ?? true, "a secret has 32 bytes")
        }
        guard let response = try? SharedSecretResponse(json: json) else { return }
        require((try? SharedSecretResponse(json: response.json)) == response, "an answer is read as it is written")
    }

    private static func exchange(_ body: [UInt8]) {
        guard let json = try? JSONReader.read(body, depth: 4), let request = try? KeyExchangeRequest(json: json) else {
            return
        }
        require(request.deviceKeys.algorithm == request.sharedSecret.algorithm, "keys are of one suite")
        require(
            (try? KeyExchangeRequest(json: .object(request.members))) == request, "an exchange is read as it is written"
        )
    }

    private static func token(_ text: String) {
        if let request = try? TemporarySecretRequest(jwt: text) {
            let key = SecretBytes([UInt8](repeating: 1, count: 16))
            require(
                (try? request.verify(applicationSecret: key, temporaryKeyMAC: nil)) == nil, "nobody signs by chance")
        }
        guard let pair else { violated("a pair is made") }
        require(
            (try? TemporarySecretResponse(jws: text, signedBy: pair.publicKey)) == nil, "nobody signs by chance")
    }

    private static func configuration(_ text: String) {
        guard let read = try? SDKConfiguration(text: text) else { return }
        let again = try? SDKConfiguration(text: read.text)
        require(again?.hybridKeys == read.hybridKeys, "a configuration is read as it is written")
    }

    private static func header(_ text: String) {
        guard let header = try? SignatureHeader(parsing: text, versions: PowerAuthVersion.ofProtocol4) else { return }
        let again = try? SignatureHeader(parsing: header.text, versions: PowerAuthVersion.ofProtocol4)
        require(again == header, "a header is read as it is written")
    }
}
