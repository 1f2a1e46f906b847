/// Whether an RSA public key deserves trust (RFC 7518, 6.3.1; NIST SP 800-56B, 6.4.2): size, exponent, form, and the
/// fingerprint of a generator whose keys can be factored.
public enum RSAModulus {
    /// Why a key is refused, for whoever made it.
    public struct Unsound: Error, Sendable, Equatable {
        public let reason: String
    }

    /// The upper bound is about time: verification grows with the square of the size.
    static let bits = 2048...8192

    /// Modulus and exponent, most significant byte first.
    public static func check(_ modulus: [UInt8], exponent: [UInt8]) throws(Unsound) {
        guard let first = modulus.first, let last = modulus.last, let lead = exponent.first, let tail = exponent.last,
            first != 0, lead != 0
        else {
            throw Unsound(reason: "n and e must be positive integers in base64url without leading zero bytes")
        }
        let size = modulus.count * 8 - first.leadingZeroBitCount
        guard bits.contains(size) else {
            throw Unsound(reason: "the RSA key has \(size) bits; use \(bits.lowerBound) to \(bits.upperBound)")
        }
        guard last & 1 == 1 else {
            throw Unsound(reason: "n is even, so not the product of two primes; generate a new key")
        }
        guard exponent.count <= 4, tail & 1 == 1, exponent != [1] else {
            throw Unsound(reason: "e must be odd, at least 3 and at most 32 bits; use 65537 (AQAB)")
        }
        guard !hasROCA(modulus) else {
            throw Unsound(
                reason: "n was made by a generator with the ROCA flaw (CVE-2017-15361); generate a new key elsewhere")
        }
    }

    /// The odd primes of the flawed generator's smallest primorial.
    private static let primes = [
        3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109,
        113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
    ]

    /// CVE-2017-15361: such a modulus is a power of 65537 modulo every one of these primes. A sound one is by chance
    /// once in about 10^8.
    static func hasROCA(_ modulus: [UInt8]) -> Bool {
        primes.allSatisfy { prime in
            let residue = modulus.reduce(0) { ($0 << 8 | Int($1)) % prime }
            var power = 1
            for _ in 0..<prime where power != residue { power = power * 65537 % prime }
            return power == residue
        }
    }
}
