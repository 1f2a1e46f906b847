import Base
import HTTPTypes
import TestSupport

/// What clients ask over HTTP, right and wrong.
extension TreeMachine {
    mutating func register(_ choice: Action.Phone, version: Int, by number: Int) async throws -> String? {
        let handset = handset(choice)
        let draft = RegistrationDraft(
            server, version: "\(version)", key: keys[handset.key], device: "device \(handset.device)")
        let reply = try await draft.send()
        let line = try settle(
            "register device \(handset.device), key \(handset.key), version \(version)",
            model.register(handset, version: version, by: number), reply)
        if reply.status == 200 {
            phones[model.instances.count - 1] = Phone(
                server: server, key: draft.key, device: draft.device, instance: reply)
        }
        return line
    }

    private mutating func handset(_ choice: Action.Phone) -> TreeModel.Handset {
        let known: TreeModel.Handset? =
            switch choice {
            case .new: nil
            case .same(let reference), .sameDevice(let reference):
                model.instance(reference).map { model.instances[$0].handset }
            }
        if case .same = choice, let known { return known }
        keys.append(PhoneKey())
        if let known { return .init(device: known.device, key: keys.count - 1) }
        devices += 1
        return .init(device: devices - 1, key: keys.count - 1)
    }

    mutating func upgrade(
        _ reference: Reference, to version: Int, keepsKey: Bool, by number: Int
    ) async throws -> String? {
        guard let access = access(reference, .instance) else { return nil }
        let phone = try phone(holder(of: access))
        let draft = RegistrationDraft(
            server, version: "\(version)", key: keepsKey ? phone.key : PhoneKey(), device: phone.device)
        let reply = try await draft.send(headers: headers(.post, "/token", access))
        return try settle(
            "upgrade to version \(version) with \(name(access: access))\(keepsKey ? "" : " and another key")",
            model.upgrade(access, to: version, keepsKey: keepsKey, by: number), reply)
    }

    mutating func logIn(_ reference: Reference, _ named: Person?, redeems: Bool, by number: Int) async throws -> String?
    {
        guard let access = access(reference, .instance) else { return nil }
        let path = "/authorize/challenge", person = named ?? model.instances[holder(of: access)].owner ?? .ada
        let reply = try await server.post(
            path,
            [
                "username": person.rawValue, "password": Residents.password, "code_challenge": Phone.challenge,
                "code_challenge_method": "S256",
            ], headers: headers(.post, path, access))
        let asked = try settle(
            "\(redeems ? "log in" : "ask for a code for") \(person) with \(name(access: access))",
            model.askForCode(access, person, by: number), reply)
        guard redeems, reply.status == 200 else { return asked }
        let code = model.codes.count - 1
        let redeemed = try await phone(holder(of: access)).redeem(code: codeTexts[code] ?? "")
        return try settle(
            "log in \(person) with \(name(access: access))", model.redeem(code: code, isHolder: true, by: number),
            redeemed)
    }

    mutating func redeemCode(_ reference: Reference, _ prover: Action.Prover, by number: Int) async throws -> String? {
        guard let code = model.code(reference) else { return nil }
        let own = model.codes[code].instance, text = codeTexts[code] ?? ""
        var (phone, client, verifier, isHolder, how) = (try phone(own), String?.none, Phone.verifier, true, "")
        switch prover {
        case .holder: break
        case .stranger(let reference):
            guard let other = model.instance(reference) else { return nil }
            (phone, isHolder, how) = (
                try self.phone(other), key(other) == key(own), " with the key of \(name(instance: other))"
            )
        case .wrongClient(let reference):
            guard let other = model.instance(reference), other != own else { return nil }
            (client, isHolder, how) = (try self.phone(other).clientID, false, " as \(name(instance: other))")
        case .wrongly: (verifier, isHolder, how) = (Phone.challenge, false, " with another verifier")
        }
        let reply = try await server.post(
            "/token",
            ["grant_type": "authorization_code", "code": text, "code_verifier": verifier, "client_id": client],
            headers: phone.dpop(.post, "/token"))
        return try settle(
            "redeem code \(model.codes[code].madeBy)\(how)", model.redeem(code: code, isHolder: isHolder, by: number),
            reply)
    }

    mutating func refresh(_ reference: Reference, _ prover: Action.Prover, by number: Int) async throws -> String? {
        guard let token = model.refresh(reference) else { return nil }
        let family = model.families[model.refreshes[token].family], own = family.instance, isBound = family.kind != .app
        var path = TreeMachine.base(family.kind) + "/token"
        var (phone, isHolder, how) = (isBound ? try phone(own) : nil, true, "")
        var client = family.app.map { TreeMachine.bundles[$0.bundle] }
        switch prover {
        case .holder: break
        case .stranger(let reference):
            guard let other = model.instance(reference) else { return nil }
            (phone, isHolder, how) = (
                try self.phone(other), isBound && key(other) == key(own), " with the key of \(name(instance: other))"
            )
        case .wrongClient(let reference):
            guard let other = model.instance(reference), other != own || !isBound else { return nil }
            client = try family.app.map { TreeMachine.bundles[1 - $0.bundle] } ?? self.phone(other).clientID
            (isHolder, how) = (false, " as another client")
        case .wrongly:
            path = TreeMachine.base(family.kind == .service || family.kind == .app ? .pat : .service) + "/token"
            (client, isHolder, how) = (nil, false, " at the other token endpoint")
        }
        let reply = try await server.post(
            path, ["grant_type": "refresh_token", "refresh_token": refreshTexts[token] ?? "", "client_id": client],
            headers: phone?.dpop(.post, path) ?? [:])
        return try settle(
            "refresh by the \(name(refresh: token))\(how)", model.refresh(token, isHolder: isHolder, by: number), reply)
    }

    mutating func askForAssertion(_ reference: Reference, by number: Int) async throws -> String? {
        guard let access = access(reference, .pat) else { return nil }
        let path = "/authorization"
        let reply = try await server.post(
            path, ["response_type": "code", "redirect_uri": ServerParts.base], headers: headers(.post, path, access))
        return try settle(
            "ask for an assertion with \(name(access: access))", model.askForAssertion(access, by: number), reply)
    }

    mutating func redeemAssertion(
        _ reference: Reference, provenBy other: Reference?, by number: Int
    ) async throws -> String? {
        guard let assertion = model.assertion(reference), let text = assertionTexts[assertion] else { return nil }
        let path = "\(TreeMachine.service)/token", prover = other.flatMap { model.instance($0) }
        let reply = try await server.post(
            path, ["grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": text],
            headers: prover.map { try phone($0).dpop(.post, path) } ?? [:])
        let isForeign = prover.map { key($0) != key(model.families[model.assertions[assertion].pat].instance) } ?? false
        return try settle(
            "redeem \(name(assertion: assertion))\(prover.map { " with the key of \(name(instance: $0))" } ?? "")",
            model.redeem(assertion: assertion, hasForeignProof: isForeign, by: number), reply)
    }

    mutating func authorise(_ reference: Reference, _ app: TreeModel.App, by number: Int) async throws -> String? {
        guard let access = access(reference, .service), let service = shown[access] else { return nil }
        let phone = try phone(holder(of: access)), bundle = TreeMachine.bundles[app.bundle]
        let code = try phone.appCode(changes: ["sub": .string(bundle)])
        let reply = try await phone.authorizeApp(
            service, scope: TreeMachine.scopes[app.scopes], bundle: bundle, code: code)
        return try settle(
            "authorise \(bundle), scope set \(app.scopes), with \(name(access: access))",
            model.authorise(access, app, by: number), reply)
    }

    mutating func revoke(_ thing: Action.Thing, _ revoker: Action.Revoker) async throws -> String? {
        let (target, text, family, what): (TreeModel.Thing, String, Int, String)
        switch thing {
        case .access(let reference):
            guard let access = access(reference) else { return nil }
            family = model.accesses[access].family
            (target, text, what) = (.family(family), self.text(access), name(access: access))
        case .refresh(let reference):
            guard let refresh = model.refresh(reference) else { return nil }
            family = model.refreshes[refresh].family
            (target, text, what) = (.family(family), refreshTexts[refresh] ?? "", name(refresh: refresh))
        case .assertion(let reference):
            guard let assertion = model.assertion(reference) else { return nil }
            family = model.assertions[assertion].pat
            (target, text, what) = (.assertion(assertion), assertionTexts[assertion] ?? "", name(assertion: assertion))
        }
        let holder: Int? =
            switch revoker {
            case .itself: model.families[family].newest
            case .above: model.families[model.families[family].parent ?? family].newest
            case .other(let reference): access(reference)
            }
        guard let holder else { return nil }
        let path = TreeMachine.base(model.accesses[holder].kind) + "/revoke"
        let reply = try await server.post(path, ["token": text], headers: headers(.post, path, holder))
        return try settle("revoke \(what) with \(name(access: holder))", model.revoke(target, with: holder), reply)
    }

    mutating func disconnect(_ reference: Reference, by holder: Reference) async throws -> String? {
        guard let instance = model.instance(reference), let access = access(holder, .pat) else { return nil }
        let path = "/instances/\(try phone(instance).clientID)"
        let reply = try await server.send(.delete, path, headers: headers(.delete, path, access))
        return try settle(
            "disconnect \(name(instance: instance)) with \(name(access: access))",
            model.disconnect(instance, with: access), reply)
    }

    func steal(_ reference: Reference, _ thief: Reference) async throws -> String? {
        guard let access = access(reference), let thief = model.instance(thief) else { return nil }
        let kind = model.accesses[access].kind, path = TreeMachine.base(kind) + "/introspect"
        let reply = try await server.post(
            path, ["token": text(access)], headers: phone(thief).dpop(.post, path, token: text(access)))
        let isItsOwn = kind != .app && key(thief) == key(holder(of: access)) && model.isLive(access: access)
        let what = "\(name(access: access)) shown with the key of \(name(instance: thief))"
        try expect(isItsOwn ? "200" : "401 invalid_token", reply.outcome, what)
        return "\(what): \(reply.outcome)"
    }
}
