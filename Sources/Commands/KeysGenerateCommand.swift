import Administration
import ArgumentParser
import Base
import Foundation
import Keys

extension KeysCommand {
    /// `keys generate`: a key pair for an app's version, a client or a service. It needs no database and keeps nothing.
    struct Generate: AdminCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a key pair for an app's version, a client or a service; the federation keeps none of it.",
            discussion:
                """
                With --out FILE the private JWK goes to FILE, which only you may read, and the public one to FILE.pub, \
                for `apps versions add --jwk`. With --key-set FILE.pub is a JWK set, for `clients create --jwks` and \
                `services add --jwks`. Files that are there stay as they are. Without --out both are printed.
                """)
        @Option(
            help: ArgumentHelp(
                "\(SigningAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "alg"))
        var alg = "ES256"
        @Option(help: "Its name; the thumbprint by default (RFC 7638).") var kid: String?
        @Option(help: "File for the private key; the public one goes beside it.", completion: .file()) var out: String?
        @Flag(name: .customLong("key-set"), help: "Write the public key as a JWK set.") var isSet = false
        @OptionGroup var common: AdminOptions

        func validate() throws {
            if let kid, !(1...256).contains(kid.utf8.count) { throw ValidationError("--kid takes 1 to 256 bytes") }
            if let out, out.isEmpty || out == "-" {
                throw ValidationError("--out takes a file; without it the key is printed")
            }
        }

        func run(on runner: AdminRunner) async throws {
            try await AdminFailure.reporting {
                guard let algorithm = SigningAlgorithm(rawValue: alg) else {
                    let names = SigningAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
                    throw AdminFailure(.invalid, "\(alg) is none of \(names)")
                }
                let key = try await GeneratedKey.make(algorithm, kid: kid, randomness: .system)
                let published: JSONValue = isSet ? ["keys": [key.publicKey.json]] : key.publicKey.json
                var result: JSONObject = [
                    "kid": JSONValue(key.publicKey.kid), "alg": .string(algorithm.rawValue),
                    "thumbprint": .string(key.publicKey.thumbprint),
                ]
                if let out {
                    try KeysCommand.write(key, published, to: out)
                    (result["private_file"], result["public_file"]) = (.string(out), .string(out + ".pub"))
                } else {
                    result["private_jwk"] = try JSONReader.read(key.privateJWK.expose { Array($0) })
                    result[isSet ? "public_jwks" : "public_jwk"] = published
                }
                try AdminOutput.writeDone(.object(result), common)
            }
        }
    }

    /// Both files, or neither.
    private static func write(_ key: GeneratedKey, _ published: JSONValue, to path: String) throws {
        let line = Array("\n".utf8)
        try write(key.privateJWK.expose { Array($0) } + line, to: path, mode: 0o600)
        do {
            try write(published.bytes + line, to: path + ".pub", mode: 0o644)
        } catch {
            unlink(path)
            throw error
        }
    }

    /// A file that is there is somebody's key: the kernel refuses it, whoever made it a moment ago.
    private static func write(_ bytes: [UInt8], to path: String, mode: mode_t) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else {
            guard errno == EEXIST else {
                throw AdminFailure(.invalid, "\(path) cannot be written: \(String(cString: strerror(errno)))")
            }
            throw AdminFailure(
                .conflict, "\(path) is there already, and was left as it is",
                hint: "name another --out, or move that key away first")
        }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        do { try handle.write(contentsOf: Data(bytes)) } catch {
            unlink(path)
            throw AdminFailure(.failed, "\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
