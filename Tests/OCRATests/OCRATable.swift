/// The test values of RFC 6287, appendix C, as they are printed: [C,] Q and the answer, one line each.
struct OCRATable: Sendable, CustomStringConvertible {
    struct Row: Sendable { let counter: String?, question: String, answer: String }

    let section: String, suite: String, keyLength: Int, rows: [Row]

    init(_ section: String, _ suite: String, keyLength: Int, _ text: String) {
        (self.section, self.suite, self.keyLength) = (section, suite, keyLength)
        rows = text.split(separator: "\n").map { line in
            let columns = line.split(separator: " ").map(String.init)
            return Row(
                counter: columns.count == 3 ? columns[0] : nil, question: columns[columns.count - 2],
                answer: columns[columns.count - 1])
        }
    }

    var description: String { "\(section) \(suite), \(rows.first?.question ?? "empty")" }

    /// "12345678901234567890…", of 20, 32 or 64 bytes.
    var key: [UInt8] { (1...keyLength).map { UInt8(ascii: "0") + UInt8($0 % 10) } }

    static let pin = "1234"
    /// "Mar 25 2008, 12:06:30 GMT" in minutes, in hexadecimal.
    static let timestamp = "132d0b6"

    static let all: [OCRATable] = [
        OCRATable(
            "C.1", "OCRA-1:HOTP-SHA1-6:QN08", keyLength: 20,
            """
            00000000  237653
            11111111  243178
            22222222  653583
            33333333  740991
            44444444  608993
            55555555  388898
            66666666  816933
            77777777  224598
            88888888  750600
            99999999  294470
            """),
        OCRATable(
            "C.1", "OCRA-1:HOTP-SHA256-8:C-QN08-PSHA1", keyLength: 32,
            """
            0  12345678  65347737
            1  12345678  86775851
            2  12345678  78192410
            3  12345678  71565254
            4  12345678  10104329
            5  12345678  65983500
            6  12345678  70069104
            7  12345678  91771096
            8  12345678  75011558
            9  12345678  08522129
            """),
        OCRATable(
            "C.1", "OCRA-1:HOTP-SHA256-8:QN08-PSHA1", keyLength: 32,
            """
            00000000  83238735
            11111111  01501458
            22222222  17957585
            33333333  86776967
            44444444  86807031
            """),
        OCRATable(
            "C.1", "OCRA-1:HOTP-SHA512-8:C-QN08", keyLength: 64,
            """
            00000  00000000  07016083
            00001  11111111  63947962
            00002  22222222  70123924
            00003  33333333  25341727
            00004  44444444  33203315
            00005  55555555  34205738
            00006  66666666  44343969
            00007  77777777  51946085
            00008  88888888  20403879
            00009  99999999  31409299
            """),
        OCRATable(
            "C.1", "OCRA-1:HOTP-SHA512-8:QN08-T1M", keyLength: 64,
            """
            00000000  95209754
            11111111  55907591
            22222222  22048402
            33333333  24218844
            44444444  36209546
            """),
        OCRATable(
            "C.2", "OCRA-1:HOTP-SHA256-8:QA08", keyLength: 32,
            """
            CLI22220SRV11110  28247970
            CLI22221SRV11111  01984843
            CLI22222SRV11112  65387857
            CLI22223SRV11113  03351211
            CLI22224SRV11114  83412541
            SRV11110CLI22220  15510767
            SRV11111CLI22221  90175646
            SRV11112CLI22222  33777207
            SRV11113CLI22223  95285278
            SRV11114CLI22224  28934924
            """),
        OCRATable(
            "C.2", "OCRA-1:HOTP-SHA512-8:QA08", keyLength: 64,
            """
            CLI22220SRV11110  79496648
            CLI22221SRV11111  76831980
            CLI22222SRV11112  12250499
            CLI22223SRV11113  90856481
            CLI22224SRV11114  12761449
            """),
        OCRATable(
            "C.2", "OCRA-1:HOTP-SHA512-8:QA08-PSHA1", keyLength: 64,
            """
            SRV11110CLI22220  18806276
            SRV11111CLI22221  70020315
            SRV11112CLI22222  01600026
            SRV11113CLI22223  18951020
            SRV11114CLI22224  32528969
            """),
        OCRATable(
            "C.3", "OCRA-1:HOTP-SHA256-8:QA08", keyLength: 32,
            """
            SIG10000  53095496
            SIG11000  04110475
            SIG12000  31331128
            SIG13000  76028668
            SIG14000  46554205
            """),
        OCRATable(
            "C.3", "OCRA-1:HOTP-SHA512-8:QA10-T1M", keyLength: 64,
            """
            SIG1000000  77537423
            SIG1100000  31970405
            SIG1200000  10235557
            SIG1300000  95213541
            SIG1400000  65360607
            """),
    ]
}
