import AsyncHTTPClient
import Base
import Crawler
import Foundation
import NIOCore

/// What a server reaches outside, and by which others reach it.
struct OutsideChecks: Sendable {
    let settings: Settings
    let clock: WallClock

    private static let patience = TimeAmount.seconds(5)

    func findings() async -> [Finding] {
        var found = [dns()]
        if found[0].status != .error {
            if settings.issuer.scheme == "https" { found.append(await certificate()) }
            found.append(await issuer())
        }
        found.append(await mail())
        found.append(egress())
        return found
    }

    private var host: String { String(settings.issuer.host.drop { $0 == "[" }.prefix { $0 != "]" }) }

    func dns() -> Finding {
        let addresses = HostAddresses.of(host)
        guard !addresses.isEmpty else {
            return .error("issuer-dns", "\(host) has no address", do: "give the name an A or AAAA record")
        }
        return .ok("issuer-dns", "\(host) is \(addresses.prefix(4).joined(separator: ", "))")
    }

    func certificate() async -> Finding {
        do {
            let shown = try await PresentedCertificate.shown(
                host: host, port: settings.issuer.port ?? 443, within: OutsideChecks.patience)
            guard shown.isFor(host) else { return OutsideChecks.certificate(shown, notFor: host) }
            return OutsideChecks.certificate(until: shown.until, at: clock.now())
        } catch {
            return .warning(
                "issuer-tls", "no certificate is shown at \(settings.root): \(error)",
                do: "start the server or its proxy; does this machine reach it by that name?")
        }
    }

    /// Of its names those that can be of a host: a stranger may have answered, and this is written to a terminal.
    private static func certificate(_ shown: PresentedCertificate, notFor host: String) -> Finding {
        let names = (shown.names + shown.addresses.map(\.description)).filter { name in
            name.utf8.allSatisfy { (0x2A...0x7A).contains($0) }
        }
        let told = names.isEmpty ? "no name" : names.prefix(4).joined(separator: ", ")
        return .error(
            "issuer-tls", "the certificate is for \(told), and not for \(host)",
            do: "get one for that name: nobody can log in; or does that name lead to another server?")
    }

    static func certificate(until: Date, at now: Date) -> Finding {
        let days = Int((until.timeIntervalSince(now) / 86_400).rounded(.down))
        let text = "the certificate holds until \(until.rfc3339)"
        if days < 0 { return .error("issuer-tls", text + ", which is over", do: "renew it: nobody can log in") }
        if days < 14 { return .warning("issuer-tls", text + ", \(days) days", do: "renew it; why was that not done?") }
        return .ok("issuer-tls", text)
    }

    /// By the way that everybody else comes, certificate and proxy included; or, where services here belong to another
    /// server, whether that is who it is taken for.
    private func issuer() async -> Finding {
        let root = settings.elsewhere?.root ?? settings.root, address = root + "/.well-known/oauth-authorization-server"
        do {
            let answer = try await HTTPClient.shared.execute(
                HTTPClientRequest(url: address), timeout: OutsideChecks.patience)
            let body = try await answer.body.collect(upTo: 1 << 20)
            let told = try? JSONReader.read(body.readableBytesView)["issuer"]?.string
            guard answer.status == .ok, told == root else {
                return .error(
                    "issuer", "\(address) answers \(answer.status.code), and not as this issuer",
                    do: settings.elsewhere == nil
                        ? "lead that name to this server: see docs/operate.md, the proxy"
                        : "write its issuer as authorization-server, as that document spells it: docs/roles-apart.md")
            }
            return .ok("issuer", "\(root) answers as itself")
        } catch {
            return .warning(
                "issuer", "\(root) does not answer: \(error)",
                do: "start the server; does this machine reach it by that name, and believe its certificate?")
        }
    }

    private func mail() async -> Finding {
        guard let mail = settings.mail else {
            return .ok("mail", "none is sent: invitations and forgotten passwords are by link alone")
        }
        guard let server = URL(string: mail.url), let host = server.host else {
            return .error("mail", "\(mail.url) names no host", do: "write smtp://HOST:PORT")
        }
        let port = server.port ?? (server.scheme == "smtps" ? 465 : 25)
        do {
            try await PresentedCertificate.reach(host: host, port: port, within: OutsideChecks.patience)
            return .ok("mail", "\(host):\(port) takes connections")
        } catch {
            return .error(
                "mail", "\(host):\(port) does not take connections: \(error)",
                do: "is it running, and does a firewall let this machine there? What waits is tried for two days")
        }
    }

    /// Names of the world: a crawler behind a resolver that knows none finds nothing.
    private func egress() -> Finding {
        guard settings.roles.contains(.crawler) else { return .ok("crawler", "this process runs none") }
        do { _ = try CrawlerSettings(settings, version: Version.text) } catch {
            return .error("crawler", "\(error)", do: "mend the crawler-… settings")
        }
        guard !HostAddresses.of("iana.org").isEmpty else {
            return .warning(
                "crawler", "this machine finds no names of the Internet",
                do: "give it a resolver, or pin what it should crawl by crawler-resolve")
        }
        return .ok("crawler", "names of the Internet are found")
    }
}
