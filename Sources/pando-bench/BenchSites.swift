import ArgumentParser
import Base
import Foundation
import NIOCore
import NIOPosix
import Server

/// `pando-bench sites`: the sites that `bench crawl` crawls, in a process of their own, so that their CPU is not
/// counted as the crawler's.
///
/// Prints the port where they listen and one where nobody does; ends with its standard input. It answers those on this
/// machine only.
struct BenchSites: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sites", abstract: "The sites to crawl; started by bench crawl.", shouldDisplay: false)

    /// The host that tells what the others were asked, and forgets it.
    static let own = "127.0.0.1"

    private static let longest = 16 << 10

    func run() async throws {
        let asked = Locked<[String]>([])
        let server = try await BenchSites.listening()
        let nobody = try await BenchSites.listening()
        guard let port = server.channel.localAddress?.port, let closed = nobody.channel.localAddress?.port else {
            throw BenchFailure.noSites("no port")
        }
        try await nobody.executeThenClose { _ in }
        DispatchQueue.global().async {
            _ = try? FileHandle.standardInput.readToEnd()
            Foundation.exit(0)
        }
        FileHandle.standardOutput.write(Data("\(port) \(closed)\n".utf8))
        try await withThrowingDiscardingTaskGroup { group in
            try await server.executeThenClose { connections in
                for try await connection in connections {
                    group.addTask { _ = try? await BenchSites.serve(connection, port: port, asked) }
                }
            }
        }
    }

    private static func listening() async throws -> NIOAsyncChannel<NIOAsyncChannel<ByteBuffer, ByteBuffer>, Never> {
        // Any address of 127/8 must answer; who comes from elsewhere is sent away.
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(ChannelOptions.backlog, value: 1_024)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "0.0.0.0", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
    }

    /// One request, one answer, as every site asks for by `Connection: close`.
    private static func serve(
        _ connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>, port: Int, _ asked: Locked<[String]>
    ) async throws {
        let isHere = connection.channel.remoteAddress?.ipAddress?.hasPrefix("127.") ?? false
        try await connection.executeThenClose { inbound, outbound in
            guard isHere else { return }
            var text = ""
            for try await buffer in inbound {
                text += String(buffer: buffer)
                if text.hasSuffix("\r\n\r\n") { break }
                guard text.utf8.count < longest else { return }
            }
            guard let request = BenchSiteRequest(text) else { return }
            if request.host == own {
                let all = asked.with { all in
                    defer { all = [] }
                    return all
                }
                // Large: it must be out before the connection is closed.
                return try await connection.channel.writeAndFlush(
                    ByteBuffer(string: BenchSite.answer("200 OK", "", all.joined(separator: "\n")))
                ).get()
            }
            guard let site = BenchSite(host: request.host) else { return }
            let origin = "http://\(site.host):\(port)"
            switch site.reply(to: request.path, ifNoneMatch: request.ifNoneMatch, at: origin) {
            case .whole(let answer):
                if site.trouble == nil { asked.with { $0.append(origin + request.path) } }
                try await outbound.write(ByteBuffer(string: answer))
            case .bytes(let head, let body):
                try await outbound.write(ByteBuffer(string: head))
                try await outbound.write(ByteBuffer(bytes: body))
            case .silent:
                try await Task.sleep(for: .seconds(60))
            case .dripping(let head):
                try await outbound.write(ByteBuffer(string: head))
                for _ in 0..<240 {
                    try await Task.sleep(for: .milliseconds(250))
                    try await outbound.write(ByteBuffer(string: "."))
                }
            case .endless(let head):
                try await outbound.write(ByteBuffer(string: head))
                let more = ByteBuffer(repeating: 0x2E, count: 64 << 10)
                while true { try await outbound.write(more) }
            }
        }
    }
}

/// As much of a request as a site looks at.
struct BenchSiteRequest {
    let path: Substring
    /// Without its port.
    let host: Substring
    let ifNoneMatch: Substring?

    init?(_ text: String) {
        let lines = text.split(whereSeparator: \.isNewline), words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3, words[0] == "GET" else { return nil }
        func header(_ name: String) -> Substring? {
            lines.dropFirst().first { $0.lowercased().hasPrefix(name) }.map {
                $0.dropFirst(name.count).drop { $0 == " " }
            }
        }
        guard let authority = header("host:") else { return nil }
        path = words[1]
        host = authority.prefix { $0 != ":" }
        ifNoneMatch = header("if-none-match:")
    }
}
