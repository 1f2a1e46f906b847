import Testing

/// Whoever checks the signature of a JWT looks at its beginning, too.
enum ClaimRules {
    /// Asking the issuer's own keys (`SigningKeys.verify`) does; whoever asks another key says it, or calls one that
    /// does.
    static func notBefore(_ files: [TextFile]) -> [Finding] {
        let signed = Pattern(#"\bjwt\.isSigned\s*\("#)
        let asked = Pattern(#"\.hasBegun\s*\(|\bClientAssertion\.check\s*\(|\.claimTimes\s*\("#)
        return files.filter { $0.isSwift && $0.target != "Keys" && asked.hits(in: $0.code).isEmpty }.flatMap { file in
            signed.hits(in: file.code).map {
                Finding(
                    file, line: $0.line,
                    "a JWT is verified here and its nbf not looked at (RFC 7519, 4.1.5). Ask `hasBegun`.")
            }
        }
    }

    /// `cnf` is read in one place, which refuses what it does not understand.
    static func confirmation(_ files: [TextFile]) -> [Finding] {
        let read = Pattern(#"\bjwt\s*\[\s*"cnf"\s*\]"#)
        return files.filter { $0.isSwift && $0.base != "Confirmation" }.flatMap { file in
            read.hits(in: file.code).map {
                Finding(
                    file, line: $0.line,
                    "read the key of a JWT by `Confirmation.key`: what it leaves out binds nothing.")
            }
        }
    }
}

@Suite("Claims of JWTs")
struct ClaimTests {
    @Test("who verifies a JWT looks at nbf, and cnf is read in one place")
    func claims() {
        expectNone(ClaimRules.notBefore(Checkout.here.sources) + ClaimRules.confirmation(Checkout.here.sources))
    }

    @Test(
        "a forgotten nbf and a cnf read by hand are found",
        arguments: [
            (#"guard jwt.isSigned(by: key) else { return }"#, 1),
            (#"jwt.isSigned(by: key) && jwt.hasBegun(at: now)"#, 0),
            (#"jwt.isSigned(by: key); try proofs.claimTimes(jwt)"#, 0), (#"// jwt.isSigned(by: key)"#, 0),
            (#"let key = jwt["cnf"]?["jwk"]"#, 1),
            (#"token["cnf"] = key"#, 0),
        ])
    func bites(code: String, expected: Int) {
        let files = [TextFile(path: "Sources/OAuth/Sample.swift", text: code)]

        #expect(ClaimRules.notBefore(files).count + ClaimRules.confirmation(files).count == expected)
    }
}
