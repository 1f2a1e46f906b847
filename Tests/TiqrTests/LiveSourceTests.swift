import Testing

@testable import Tiqr

@Suite("The URL of the database that tiqr import reads")
struct LiveSourceTests {
    private static func mysql(_ url: String) throws -> MySQLAddress {
        guard case .mysql(let address) = try LiveSource(url) else { throw LiveSource.Unacceptable("not MySQL") }
        return address
    }

    @Test(
        "MySQL: by TLS from who was named, but on this machine, and where the URL says otherwise",
        arguments: [
            ("mysql://old@db.example/tiqr", MySQLAddress.Encryption.verifyIdentity, nil as String?),
            ("mysql://db.example:3307/tiqr?ssl-ca=/etc/ca.pem", .verifyIdentity, "/etc/ca.pem"),
            ("MYSQL://old@db.example/tiqr?ssl-mode=required", .required, nil),
            ("mysql://old@db.example/tiqr?ssl-mode=DISABLED", .disabled, nil),
            ("mysql://old@localhost/tiqr", .disabled, nil), ("mysql://old@[::1]:3306/tiqr", .disabled, nil),
            ("mysql://old@127.0.0.1/tiqr?ssl-ca=ca.pem", .verifyIdentity, "ca.pem"),
            ("mysql://old@127.0.0.1.example/tiqr", .verifyIdentity, nil),
            ("mysql:///tiqr", .disabled, nil),
        ])
    func encryption(url: String, encryption: MySQLAddress.Encryption, authority: String?) throws {
        let address = try Self.mysql(url)

        #expect(address.encryption == encryption && address.authority == authority)
        #expect(address.database == "tiqr")
    }

    @Test("MySQL: a host with its port, or a socket; names are decoded")
    func places() throws {
        let named = try Self.mysql("mysql://o%40d@db.example:3307/ti%2Dqr"),
            six = try Self.mysql("mysql://[fe80::1]/tiqr")
        let socket = try Self.mysql("mysql://old@/tiqr?socket=/run/mysqld/my%20sql.sock")

        #expect(named.user == "o@d" && named.database == "ti-qr")
        #expect(named.place == .network(host: "db.example", port: 3_307))
        #expect(six.place == .network(host: "fe80::1", port: 3_306) && six.user == nil)
        #expect(socket.place == .socket("/run/mysqld/my sql.sock") && socket.user == "old")
        #expect(try Self.mysql("mysql:///tiqr").place == .socket(nil))
    }

    @Test(
        "PostgreSQL: as libpq takes it, and as MySQL where no sslmode is said",
        arguments: [
            ("postgresql://old@db.example/tiqr", "?sslmode=verify-full"),
            ("postgres://old@db.example/tiqr?connect_timeout=3", "&sslmode=verify-full"),
            ("postgresql://old@localhost,db.example/tiqr", "?sslmode=verify-full"),
            ("postgresql:///tiqr?host=db.example", "&sslmode=verify-full"),
            ("postgresql://localhost/tiqr?hostaddr=192.0.2.1", "&sslmode=verify-full"),
            ("postgresql://localhost/tiqr?%68ost=db.example", "&sslmode=verify-full"),
            ("postgresql://%2Frun%2Fpostgresql/tiqr?", "sslmode=verify-full"),
            ("postgresql://old@db.example/tiqr?sslmode=require", ""),
            ("postgresql://old@localhost:5433/tiqr", ""), ("postgresql://[::1],127.0.0.1/tiqr", ""),
        ])
    func postgresql(url: String, more: String) throws {
        #expect(try LiveSource(url) == .postgresql(url + more))
    }

    @Test("PostgreSQL: its name in capitals too, which libpq would take for no URL")
    func capitals() throws {
        #expect(
            try LiveSource("PostgreSQL://old@db.example/tiqr")
                == .postgresql("postgresql://old@db.example/tiqr?sslmode=verify-full"))
    }

    @Test(
        "a URL with a password, of something else, or that would be half read is refused, and never quoted",
        arguments: [
            ("mysql://old:hunter2@db.example/tiqr", "has no password"),
            ("mysql://old:@db.example/tiqr", "has no password"),
            ("postgresql://old:hunter2@db.example/tiqr", "has no password"),
            ("postgresql://db.example/tiqr?password=hunter2", "has no password"),
            ("postgresql://db.example/tiqr?%70assword=hunter2", "has no password"),
            ("postgresql://db.example/tiqr?sslpassword=hunter2", "has no password"),
            ("postgresql://db.example/tiqr?host=a&host=b", "twice"),
            ("postgresql://old:hunter2?@db.example/tiqr", "%40"), ("postgresql://o?d:hunter2@db.example/tiqr", "%3F"),
            ("postgresql://localhost?@db.example/tiqr", "%3F"), ("postgresql:///tiqr?options=-c%20a=b@c", "%40"),
            ("postgresql://old:\u{301}hunter2@db.example/tiqr", "ASCII"),
            ("postgresql://old:hunter2@\u{301}/tiqr", "ASCII"),
            ("mysql://old@hunter2@db.example/tiqr", "%40"), ("mysql://db.example/tiqr#hunter2", "%23"),
            ("sqlite:///hunter2", "mysql://"), ("hunter2", "is a URL"), ("", "is a URL"),
            ("mysql://db.example/ti qr", "without blanks"), ("mysql://db.example/ti\u{1B}qr", "without blanks"),
            ("mysql://db.example/ti%00qr", "%"), ("mysql://db.example/ti%zzqr", "%"),
            ("mysql://db.example/", "names a database"), ("mysql://db.example", "names a database"),
            ("mysql://db.example/a/b", "names a database"), ("mysql://a,b/tiqr", "one host"),
            ("mysql://db.example:0/tiqr", "65535"), ("mysql://db.example:65536/tiqr", "65535"),
            ("mysql://db.example:x/tiqr", "65535"), ("mysql://:3306/tiqr", "behind a host"),
            ("mysql://db.ex%61mple/tiqr", "ASCII"), ("mysql://d\u{F6}.example/tiqr", "ASCII"),
            ("mysql://db.example/tiqr?socket=/run/s", "not both"),
            ("mysql://db.example/tiqr?local-infile=1", "takes the parameters"),
            ("mysql://db.example/tiqr?ssl-ca", "takes the parameters"),
            ("mysql://db.example/tiqr?ssl-mode=PREFERRED", "VERIFY_IDENTITY"),
            ("mysql://db.example/tiqr?ssl-mode=VERIFY_CA", "VERIFY_IDENTITY"),
            ("mysql://db.example/tiqr?ssl-mode=REQUIRED&ssl-ca=ca.pem", "ssl-ca"),
            ("mysql:///tiqr?ssl-mode=REQUIRED", "socket"),
        ])
    func refused(url: String, reason: String) {
        let refusal = #expect(throws: LiveSource.Unacceptable.self) { try LiveSource(url) }

        #expect(refusal?.description.contains(reason) == true, "\(refusal?.description ?? "")")
        #expect(refusal?.description.contains("hunter2") == false)
        #expect(refusal?.failure.code == .usage)
    }

    @Test("what a server says does not steer the terminal; each failure has the exit status of its kind")
    func failures() {
        let said = LiveFailure.unreachable("no \u{1B}[2J").failure

        #expect(said.code == .unavailable && !said.description.contains("\u{1B}"))
        #expect(LiveFailure.refused("no \u{1B}[2J").failure.description.contains("\u{1B}") == false)
        #expect(LiveFailure.noTable("t").failure.code == .notFound)
        #expect(LiveFailure.noColumn("userid", table: "t").failure.code == .invalid)
        #expect(LiveFailure.noLibrary.failure.hint?.contains("libmariadb3") == true)
    }
}
