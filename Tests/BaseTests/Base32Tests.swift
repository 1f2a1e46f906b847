import Base
import Testing

@Suite("Base32")
struct Base32Tests {
    @Test("Base32 has one spelling (RFC 4648, 10)")
    func base32() {
        let vectors = [
            "": "", "f": "MY", "fo": "MZXQ", "foo": "MZXW6", "foob": "MZXW6YQ", "fooba": "MZXW6YTB",
            "foobar": "MZXW6YTBOI",
        ]
        for (plain, text) in vectors {
            #expect(Base32.encode(Array(plain.utf8)) == text)
            #expect(Base32.decode(text) == Array(plain.utf8))
        }
        for text in ["M", "MZX", "MZXW6Y", "MZ", "my", "M1", "MY======", "MÝ"] {
            #expect(Base32.decode(text) == nil, "\(text)")
        }
    }
}
