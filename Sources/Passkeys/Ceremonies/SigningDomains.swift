/// Beginnings of what Algorand keys sign for other purposes. Wallets refuse to sign data that begins so, as it could be
/// a transaction (ARC-52 wallets, after go-algorand's list of hash identifiers); so no challenge may.
enum SigningDomains {
    static func claims(_ bytes: [UInt8]) -> Bool { tags.contains { bytes.starts(with: $0.utf8) } }

    static let tags = """
        AS B256 BH BR CR GE KP MA MB MX NIC NIR NIV NPR OT1 OT2 PF PK PL PS ProgData Program SD STIB SpecialAddr TE \
        TG TL TX VO
        aB aD aO aP aS appID arc spc spm spp sps spv
        """.split { $0 == " " || $0 == "\n" }.map(String.init)
}
