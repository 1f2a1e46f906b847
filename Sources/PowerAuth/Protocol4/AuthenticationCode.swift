import Base

/// The components of authentication codes of protocol 4 (protocols/powerauth4.md). `FactorSignature` writes, looks for
/// and compares them.
enum AuthenticationCode {
    /// 32 bytes a factor: each begins at the first key, and each further key, derived from the counter, takes in what
    /// the keys before it gave. In protocol 3 the i-th begins at the i-th key.
    ///
    /// Empty, which is equal to no code, for a key that KMAC does not take; factor keys have 32 bytes.
    static func components(keys: [SecretBytes], counter: HashCounter, data: [UInt8]) -> [[UInt8]] {
        do {
            var derived: [SecretBytes] = []
            for key in keys {
                let own = SecretBytes(try KMAC256.mac(key: key, counter.bytes, .authenticationCode))
                guard let before = derived.last?.expose({ $0 }) else {
                    derived.append(own)
                    continue
                }
                derived.append(SecretBytes(try KMAC256.mac(key: own, before, .authenticationCode)))
            }
            var components: [[UInt8]] = []
            for key in derived { components.append(try KMAC256.mac(key: key, data, .authenticationCode)) }
            return components
        } catch {
            return []
        }
    }
}
