import Base
import Foundation
import HTTPTypes
import TestSupport
import TokenTree

/// All that is outstanding: what lives in the model lives on the server, and nothing else does.
extension TreeMachine {
    /// `whole`: also what was seen dead before, the rule behind each death, and each person's list of instances.
    mutating func takeStock(whole: Bool) async throws {
        for access in model.accesses.indices where whole || !buried.contains(access) {
            try await look(access: access)
            if whole { try await lookWhy(access) }
        }
        for refresh in model.refreshes.indices { try await look(refresh: refresh) }
        for code in model.codes.indices { try await look(code: code) }
        for assertion in model.assertions.indices { try await look(assertion: assertion) }
        guard whole else { return }
        for access in model.accesses.indices where model.accesses[access].kind == .pat && model.isLive(access: access) {
            try await lookAtInstances(with: access)
        }
    }

    /// Shown with its proof where it opens something.
    private mutating func look(access: Int) async throws {
        let isLive = model.isLive(access: access), family = model.families[model.accesses[access].family],
            seen: String, alive: String
        switch family.kind {
        case .instance, .service:
            let path = TreeMachine.base(family.kind) + "/introspect"
            let reply = try await server.post(path, ["token": text(access)], headers: headers(.post, path, access))
            (seen, alive) = (reply.json["active"] == false ? "inactive" : reply.outcome, "200")
        case .pat:
            let reply = try await server.get("/userinfo", headers: headers(.get, "/userinfo", access))
            (seen, alive) = (
                reply["sub"].map { "200 \($0)" } ?? reply.outcome,
                "200 \(family.person.flatMap { slate.accounts[$0] } ?? "")"
            )
        case .app:
            let path = TreeMachine.service + "/attributes",
                isInScope = family.app.map { TreeMachine.scopes[$0.scopes].contains(ServerParts.viewerScope) } == true
            (seen, alive) = (
                try await server.get(path, headers: headers(.get, path, access)).outcome,
                isInScope ? "200" : "403 insufficient_scope"
            )
        }
        try expect(isLive ? alive : "401 invalid_token", seen, name(access: access))
        if !isLive { buried.insert(access) }
    }

    /// What `pando admin tokens why` tells.
    private func lookWhy(_ access: Int) async throws {
        guard let id = NodeID(shown[access]?.jti ?? ""), let row = try await server.parts.store.find(id) else {
            // The keeper drops rows a day after their end.
            return try expect(
                true, model.now > model.accesses[access].expires + 86_400,
                "whether the row of \(name(access: access)) may be gone")
        }
        let verdict = try await Verdict(of: row, at: server.time.now, in: server.database)
        let rule: Verdict.Rule =
            !model.lives(model.accesses[access].family) ? .revoked : model.isLive(access: access) ? .live : .expired
        try expect(
            rule.rawValue, (verdict.rule == .epoch ? .revoked : verdict.rule).rawValue,
            "why \(name(access: access)) does not live")
    }

    private func look(refresh: Int) async throws {
        let token = model.refreshes[refresh], family = model.families[token.family], name = name(refresh: refresh)
        let row = try await RefreshFamily(store: server.parts.store).find(refreshTexts[refresh] ?? "")?.family
        // The row of a family that was replaced is deleted.
        try expect(
            model.lives(token.family), row.map { !$0.isRevoked } ?? false, "whether the family of the \(name) lives")
        guard let row, !row.isRevoked else { return }
        try expect(
            token.sequence < family.sequence ? family.rotatedAt.map { start.addingTimeInterval(Double($0)) } : nil,
            row.usedAt, "when the \(name) was rotated away")
        try expect(shown[family.newest]?.jti, row.child?.description, "what came last of the \(name)")
    }

    private var start: Date { server.time.now.addingTimeInterval(Double(-model.now)) }

    private func look(code: Int) async throws {
        let name = "code \(model.codes[code].madeBy)"
        guard let bytes = Base64URL.decode(codeTexts[code] ?? ""), bytes.count > 16 else {
            throw Difference(what: name, model: "a code", server: "none")
        }
        let id = NodeID(rawValue: bytes[..<16].withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
        let found = try await server.parts.store.find(id)
        try expect(model.codes[code].isForgotten, found == nil, "whether the row of \(name) is gone")
        guard let row = found else { return }
        try expect(
            model.isLive(code: code), row.isLive(at: server.time.now) && row.usedAt == nil, "whether \(name) lives")
        try expect(model.codes[code].isUsed, row.usedAt != nil, "whether \(name) is used")
    }

    /// As the service asks the IdP.
    private func look(assertion: Int) async throws {
        let learn = server.residents.learn, basic = Data("\(learn.id):\(learn.secret)".utf8).base64EncodedString()
        let reply = try await server.post(
            "/introspect", ["token": assertionTexts[assertion]], headers: [.authorization: "Basic \(basic)"])
        try expect(
            model.isLive(assertion: assertion), reply.json["active"] == true,
            "whether \(name(assertion: assertion)) lives")
    }

    private func lookAtInstances(with access: Int) async throws {
        let own = holder(of: access), person = model.families[model.accesses[access].family].person
        let listed = try await phone(own).get("/instances", token: text(access)).json.array ?? []
        let server = listed.map {
            "\($0["id"]?.string ?? ""), version \($0["version"]?.string ?? ""), current: \($0["current"] == true)"
        }
        let expected = try model.instances.indices.filter {
            model.instances[$0].owner == person && model.isLive(instance: $0)
        }.map {
            "\(try phone($0).clientID), version \(model.instances[$0].version), current: \($0 == own)"
        }
        try expect(expected.sorted(), server.sorted(), "the instances of \(name(access: access))")
    }
}
