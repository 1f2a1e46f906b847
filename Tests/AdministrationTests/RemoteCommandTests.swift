import Administration
import Base
import Foundation
import PandoClient
import TestSupport
import Testing

@testable import Commands

@Suite("Commands of pando admin that a server far away runs")
struct RemoteCommandTests {
    private func read(_ line: String, stdin: String? = nil) throws -> JSONObject {
        let words = line.split(separator: " ").map(String.init)
        let found = AdminCatalog.ofServer.entries.filter { words.starts(with: $0.words) }
        let entry = try #require(found.max { $0.words.count < $1.words.count })
        // The file that is named stands for its content.
        return try AdminInput.$given.withValue(GivenInput(stdin: stdin)) { try entry.arguments(of: words) }
    }

    @Test(
        "a command line as the API takes it",
        arguments: [
            ("apps create a.b --name Wallet --yes --json", #"{"app":"a.b","name":"Wallet"}"#),
            ("apps create --name=Wallet --legacy -- -x", #"{"name":"Wallet","legacy":true,"app":"-x"}"#),
            (
                "accounts update ada --given-name A --config x --set a=b --server http://localhost --dry-run",
                #"{"account":"ada","given_name":"A","dry_run":true}"#
            ),
            ("apps versions add a 1 --jwk key.json", #"{"app":"a","version":"1","jwk":"key.json"}"#),
            (
                "clients create --name N --redirect-uri a --redirect-uri b",
                #"{"name":"N","redirect_uri":["a","b"]}"#
            ),
            ("apps list --limit 3 -o json", #"{"limit":"3"}"#),
        ])
    func lines(line: String, json: String) throws {
        #expect(try JSONValue.object(read(line)) == (try JSONReader.read(json.utf8)))
    }

    @Test("stdin is read here: a password, and what stands where a hyphen does")
    func stdin() throws {
        let password = try read("accounts create --username a --password-stdin", stdin: "secret\n")
        let token = try read("tokens why -", stdin: "x.y.z")

        #expect(password["password"] == "secret\n" && password["username"] == "a")
        #expect(token["token"] == "-" && token["password"] == "x.y.z")
    }

    @Test(
        "an address has every name in its place, whatever it holds",
        arguments: [
            ("accounts show invite", "GET", "/accounts/%69nvite"), ("accounts show a/b", "GET", "/accounts/a%2Fb"),
            ("tree show use:ADA/learn --depth 2", "GET", "/tree/use:ADA%2Flearn?depth=2"),
            ("accounts delete Ada", "DELETE", "/accounts/Ada"),
            ("apps versions refuse A.b 1", "POST", "/apps/A.b/versions/1/refuse"),
        ])
    func addresses(line: String, method: String, path: String) async throws {
        let transport = Transport { _ in Transport.Response(status: 500) }
        let server = try RemoteServer(
            "https://pando.example.org/", files: LoginFiles(environment: [:]), transport: transport)
        let words = line.split(separator: " ").map(String.init)
        let entry = try #require(AdminCatalog.ofServer.entry(Array(words.prefix(line.contains("versions") ? 3 : 2))))

        let request = try RemoteCommand(server: server, entry: entry, arguments: entry.arguments(of: words)).request()

        #expect(request.method == method && request.url == "https://pando.example.org/admin/api/v1" + path)
    }

    @Test("a picture goes as base64, since it is no text; what is neither is refused here")
    func picture() throws {
        let entry = try #require(AdminCatalog.ofServer.entry(["tiqr", "identifiers", "update"]))
        func sent(_ bytes: [UInt8]) throws -> JSONValue? {
            let file = FileManager.default.temporaryDirectory.appending(path: "logo-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(bytes).write(to: file)
            return try entry.arguments(of: ["tiqr", "identifiers", "update", "a.example", "--logo", file.path])["logo"]
        }

        #expect(try sent([0x89, 0x50, 0x4E, 0x47]) == "iVBORw==")
        #expect(try sent([0xFF, 0xD8, 0xFF, 0xE0]) == "/9j/4A==")
        #expect(throws: AdminFailure.self) { try sent([0xFF, 0xFE, 0x41, 0]) }
    }

    @Test("only what nobody can read on the way is asked", arguments: ["http://pando.example.org", "pando", "ftp://x"])
    func insecure(_ address: String) {
        let transport = Transport { _ in Transport.Response(status: 500) }
        #expect(throws: AdminFailure.self) {
            try RemoteServer(address, files: LoginFiles(environment: [:]), transport: transport)
        }
    }

    @Test("--server may stand anywhere")
    func anywhere() {
        let lines = [
            ["admin", "--server", "u", "apps", "list"], ["admin", "apps", "--server=u", "list"],
            ["admin", "apps", "list", "--server", "u", "--json"],
        ].map(AdminArguments.normalised)

        #expect(lines[0] == ["admin", "apps", "list", "--server", "u"])
        #expect(lines[1] == ["admin", "apps", "list", "--server=u"])
        #expect(lines[2] == ["admin", "apps", "list", "--json", "--server", "u"])
    }
}

@Suite("Where logins are kept")
struct LoginFilesTests {
    private func withFolder(_ body: (LoginFiles) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(LoginFiles(environment: ["XDG_CONFIG_HOME": folder]))
    }

    private func login(_ issuer: String) -> StoredLogin {
        let tokens = Tokens(accessToken: "a", refreshToken: "r", type: "DPoP", expires: Date(timeIntervalSince1970: 0))
        return StoredLogin(issuer: issuer, clientID: "c", key: Data([1]), tokens: tokens)
    }

    @Test("what is kept is read again, of its server alone, until it is forgotten")
    func kept() throws {
        try withFolder { files in
            try files.keep(login("https://a.example.org"))

            #expect(try files.login(at: "https://a.example.org")?.tokens.refreshToken == "r")
            #expect(try files.login(at: "https://b.example.org") == nil)
            #expect(files.issuers == ["https://a.example.org"])
            files.forget("https://a.example.org")
            #expect(try files.login(at: "https://a.example.org") == nil)
        }
    }

    @Test("nobody else may read it; a file that others may is not used")
    func modes() throws {
        try withFolder { files in
            try files.keep(login("https://a.example.org"))
            let name = try #require(
                try FileManager.default.contentsOfDirectory(atPath: files.folder).first { $0.hasSuffix(".login") })
            let path = files.folder + "/" + name
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)

            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)

            #expect(throws: AdminFailure.self) { try files.login(at: "https://a.example.org") }
        }
    }
}
