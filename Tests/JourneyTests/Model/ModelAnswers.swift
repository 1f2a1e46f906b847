/// What each request must be answered, and what it changes (api.md, "Grants at ISS/token", "Small print that clients
/// rely on").
extension TreeModel {
    // MARK: Instances

    mutating func register(_ handset: Handset, version: Int, by number: Int) -> Prediction {
        guard !refusedVersions.contains(version) else { return .refused("401 invalid_client") }
        let twins = instances.indices.filter { instances[$0].handset == handset && isLive(instance: $0) }
        let issue = add(instance: handset, version: version, by: number)
        for twin in twins { revoke(instance: twin) }
        return .issued(issue)
    }

    mutating func upgrade(_ access: Int, to version: Int, keepsKey: Bool, by number: Int) -> Prediction {
        guard isLive(access: access) else { return .refused("401 invalid_token") }
        let family = accesses[access].family, instance = families[family].instance
        guard keepsKey, version > instances[instance].version, !refusedVersions.contains(version) else {
            return .refused("401 invalid_client")
        }
        move(instance: instance, to: version)
        return .issued(rotate(family, by: number))
    }

    mutating func disconnect(_ instance: Int, with access: Int) -> Prediction {
        guard isLive(access: access) else { return .refused("401 invalid_token") }
        guard instances[instance].owner == families[accesses[access].family].person, isLive(instance: instance) else {
            return .refused("404 not_found")
        }
        revoke(instance: instance)
        return Prediction(outcome: "204")
    }

    // MARK: Login

    mutating func askForCode(_ access: Int, _ person: Person, by number: Int) -> Prediction {
        guard isLive(access: access) else { return .refused("401 invalid_token") }
        let family = accesses[access].family, instance = families[family].instance
        guard !suspended.contains(person), instances[instance].owner == nil || instances[instance].owner == person
        else { return .refused("403 access_denied") }
        let node = node(below: [families[family].node, generation(.person(person))])
        codes.append(
            Code(madeBy: number, instance: instance, person: person, node: node, expires: now + TreeModel.codeLife))
        return .issued(.code(codes.count - 1))
    }

    mutating func redeem(code: Int, isHolder: Bool, by number: Int) -> Prediction {
        let refused = Prediction.refused("400 invalid_grant"), instance = codes[code].instance
        guard isHolder else { return refused }
        if codes[code].isUsed, !codes[code].isForgotten, let pat = codes[code].pat { revoke(family: pat) }
        guard isLive(code: code) else { return refused }
        codes[code].isUsed = true
        guard instances[instance].owner == nil || instances[instance].owner == codes[code].person else {
            return refused
        }
        let earlier = families.indices.filter {
            families[$0].kind == .pat && families[$0].instance == instance && lives($0)
        }
        let issue = add(pat: code, by: number)
        codes[code].pat = families.count - 1
        if misbelief != .earlierLoginLives { for pat in earlier { revoke(family: pat) } }
        return .issued(issue)
    }

    // MARK: Refresh

    /// `isHolder`: shown with the right key, by the right client, where it was issued.
    mutating func refresh(_ token: Int, isHolder: Bool, by number: Int) -> Prediction {
        let shown = refreshes[token], family = families[shown.family], refused = Prediction.refused("400 invalid_grant")
        guard isHolder, lives(shown.family) else { return refused }
        if shown.sequence == family.sequence { return .issued(rotate(shown.family, by: number)) }
        if shown.sequence == family.sequence - 1, let at = family.rotatedAt, now - at <= TreeModel.graceWindow,
            let again = refreshes.firstIndex(where: { $0.family == shown.family && $0.sequence == family.sequence })
        {
            return .issued(.pair(access: family.newest, refresh: again))
        }
        if misbelief != .reuseEndsNothing { revoke(family: shown.family) }
        return refused
    }

    // MARK: Services

    mutating func askForAssertion(_ access: Int, by number: Int) -> Prediction {
        guard isLive(access: access) else { return .refused("401 invalid_token") }
        let pat = accesses[access].family
        assertions.append(
            Assertion(
                madeBy: number, pat: pat, node: node(below: [families[pat].node, generation(.service)]), issued: now))
        return .issued(.assertion(assertions.count - 1))
    }

    /// No proof is needed; one by another key is refused, and uses nothing.
    mutating func redeem(assertion: Int, hasForeignProof: Bool, by number: Int) -> Prediction {
        let refused = Prediction.refused("400 invalid_grant")
        guard now < assertions[assertion].issued + TreeModel.assertionLife + TreeModel.skew else { return refused }
        guard !hasForeignProof else { return .refused("400 invalid_dpop_proof") }
        guard !assertions[assertion].isShown else {
            if misbelief != .assertionsWorkTwice { end(assertion: assertion) }
            return refused
        }
        assertions[assertion].isShown = true
        return isWhole(assertion: assertion) ? .issued(add(serviceToken: assertion, by: number)) : refused
    }

    mutating func authorise(_ access: Int, _ app: App, by number: Int) -> Prediction {
        guard isLive(access: access) else { return .refused("401 invalid_token") }
        let service = accesses[access].family
        let earlier = families.indices.filter {
            families[$0].app == app && families[$0].instance == families[service].instance && lives($0)
        }
        let issue = add(appToken: app, below: service, by: number)
        for old in earlier { revoke(family: old) }
        return .issued(issue)
    }

    // MARK: Revoking

    enum Thing { case family(Int), assertion(Int) }

    /// Silent about whether there was something to end.
    mutating func revoke(_ thing: Thing, with access: Int) -> Prediction {
        guard isLive(access: access) else { return .refused("401 invalid_token") }
        let holder = accesses[access].family
        switch thing {
        case .family(let family) where isAtOrBelow(family, holder):
            if families[family].kind == .instance {
                revoke(instance: families[family].instance)
            } else {
                revoke(family: family)
            }
        case .assertion(let assertion) where isAtOrBelow(assertions[assertion].pat, holder):
            _ = revoke(assertion: assertion)
        default: break
        }
        return Prediction(outcome: "200")
    }
}
