/// The token tree as design/token-tree.md and api.md tell it, in memory and with one thing at a time: what is issued,
/// what lives, what each answer must be.
///
/// It shares no code and no data structure with the server: nodes hang from nodes (`Forest`), there is no lineage, no
/// row and no event. The service sees the IdP's tree as it was when events were last delivered (`seen`), and what has
/// been issued since by what the assertion says.
struct TreeModel {
    static let graceWindow = 10
    static let codeLife = 60
    static let assertionLife = 300
    /// The service forgives clocks a minute.
    static let skew = 60

    let misbelief: Misbelief?
    var now = 0
    private(set) var tree = Forest()
    /// The service's own nodes. Those of service tokens hang from an assertion too, by `behind`.
    private(set) var grove = Forest()
    private(set) var seen = Forest()
    private var behind: [Int: Int] = [:]
    /// Assertions that the service has seen twice.
    private var ended: Set<Int> = []
    private var open: [Virtual: Int] = [:]
    private var everRevoked: Set<Virtual>
    private var versionNodes: Set<Int> = []

    private(set) var instances: [Instance] = []
    private(set) var families: [Family] = []
    private(set) var accesses: [Access] = []
    private(set) var refreshes: [Refresh] = []
    var codes: [Code] = []
    var assertions: [Assertion] = []
    private(set) var suspended: Set<Person> = []
    private(set) var refusedVersions: Set<Int> = []

    /// `everRevoked`: what was revoked before the model's time.
    init(_ misbelief: Misbelief? = nil, everRevoked: Set<Virtual> = []) {
        (self.misbelief, self.everRevoked) = (misbelief, everRevoked)
    }

    // MARK: What lives

    func lives(_ family: Int) -> Bool {
        let family = families[family]
        if family.kind.isOfService { return livesAtService(family.node) }
        return tree.lives(
            family.node, sparing: misbelief == .revokedVersionSparesPATs && family.kind == .pat ? versionNodes : [])
    }

    func isLive(access: Int) -> Bool { now < accesses[access].expires && lives(accesses[access].family) }

    func isLive(code: Int) -> Bool { !codes[code].isUsed && now < codes[code].expires && tree.lives(codes[code].node) }

    func isLive(assertion: Int) -> Bool {
        now < assertions[assertion].issued + TreeModel.assertionLife && tree.lives(assertions[assertion].node)
    }

    func isLive(instance: Int) -> Bool { tree.lives(instances[instance].node) }

    /// Whether the service takes an assertion to live, whenever it was made.
    func isWhole(assertion: Int) -> Bool { !ended.contains(assertion) && isKnownToLive(assertions[assertion].node) }

    private func livesAtService(_ node: Int) -> Bool {
        !grove.isRevoked(node) && grove.parents(of: node).allSatisfy(livesAtService)
            && (behind[node].map { isWhole(assertion: $0) } ?? true)
    }

    private func isKnownToLive(_ node: Int) -> Bool {
        if misbelief == .servicesKnowAtOnce { return tree.lives(node) }
        return node < seen.count ? seen.lives(node) : tree.parents(of: node).allSatisfy(isKnownToLive)
    }

    func isAtOrBelow(_ family: Int, _ ancestor: Int) -> Bool {
        let (family, ancestor) = (families[family], families[ancestor])
        guard family.kind.isOfService == ancestor.kind.isOfService else { return false }
        return (family.kind.isOfService ? grove : tree).isAtOrBelow(family.node, ancestor.node)
    }

    // MARK: Hanging and revoking

    mutating func node(below parents: [Int]) -> Int { tree.add(below: parents) }

    /// The open generation.
    mutating func generation(_ virtual: Virtual) -> Int {
        if let node = open[virtual] { return node }
        let node = if case .bundle = virtual { grove.add() } else { tree.add() }
        if case .version = virtual { versionNodes.insert(node) }
        open[virtual] = node
        return node
    }

    /// Whether nothing has been issued below it since it was revoked before.
    mutating func revoke(_ virtual: Virtual) -> Bool {
        guard let node = open.removeValue(forKey: virtual) else { return everRevoked.contains(virtual) }
        everRevoked.insert(virtual)
        if case .bundle = virtual { grove.revoke(node) } else { tree.revoke(node) }
        return false
    }

    @discardableResult
    mutating func revoke(family: Int) -> Bool {
        let (kind, node) = (families[family].kind, families[family].node)
        defer { if kind.isOfService { grove.revoke(node) } else { tree.revoke(node) } }
        return kind.isOfService ? grove.isRevoked(node) : tree.isRevoked(node)
    }

    @discardableResult
    mutating func revoke(instance: Int) -> Bool {
        defer { tree.revoke(instances[instance].node) }
        return tree.isRevoked(instances[instance].node)
    }

    mutating func revoke(assertion: Int) -> Bool {
        defer { tree.revoke(assertions[assertion].node) }
        return tree.isRevoked(assertions[assertion].node)
    }

    /// The service ends what came of an assertion; the IdP does not hear of it.
    mutating func end(assertion: Int) { ended.insert(assertion) }

    mutating func deliverEvents() { seen = tree }

    mutating func forgetCodes() { for code in codes.indices { codes[code].isForgotten = true } }

    mutating func set(_ person: Person, suspended isSuspended: Bool) {
        if isSuspended { _ = revoke(.person(person)) }
        if isSuspended { suspended.insert(person) } else { suspended.remove(person) }
    }

    mutating func set(version: Int, refused isRefused: Bool) {
        if isRefused { _ = revoke(.version(version)) }
        if isRefused { refusedVersions.insert(version) } else { refusedVersions.remove(version) }
    }

    // MARK: Making

    mutating func add(instance handset: Handset, version: Int, by number: Int) -> Prediction.Issue {
        let versionNode = generation(.version(version))
        let node = tree.add(below: [generation(.epoch), versionNode, generation(.key(handset.key))])
        instances.append(
            Instance(
                madeBy: number, handset: handset, node: node, family: families.count, version: version,
                versionNode: versionNode))
        return add(
            Family(kind: .instance, instance: instances.count - 1, node: tree.add(below: [node]), parent: nil),
            by: number)
    }

    mutating func add(pat code: Int, by number: Int) -> Prediction.Issue {
        let (instance, person) = (codes[code].instance, codes[code].person)
        instances[instance].owner = person
        let node = tree.add(below: tree.parents(of: codes[code].node))
        return add(
            Family(kind: .pat, instance: instance, node: node, parent: instances[instance].family, person: person),
            by: number)
    }

    mutating func add(serviceToken assertion: Int, by number: Int) -> Prediction.Issue {
        let pat = assertions[assertion].pat, node = grove.add()
        behind[node] = assertion
        return add(Family(kind: .service, instance: families[pat].instance, node: node, parent: pat), by: number)
    }

    mutating func add(appToken app: App, below service: Int, by number: Int) -> Prediction.Issue {
        let node = grove.add(below: [families[service].node, generation(.bundle(app.bundle))])
        return add(
            Family(kind: .app, instance: families[service].instance, node: node, parent: service, app: app), by: number)
    }

    private mutating func add(_ family: Family, by number: Int) -> Prediction.Issue {
        families.append(family)
        return pair(families.count - 1, by: number)
    }

    mutating func rotate(_ family: Int, by number: Int) -> Prediction.Issue {
        families[family].sequence += 1
        families[family].rotatedAt = now
        return pair(family, by: number)
    }

    private mutating func pair(_ family: Int, by number: Int) -> Prediction.Issue {
        let kind = families[family].kind
        accesses.append(Access(madeBy: number, kind: kind, family: family, expires: now + kind.lifetime))
        refreshes.append(Refresh(madeBy: number, kind: kind, family: family, sequence: families[family].sequence))
        families[family].newest = accesses.count - 1
        return .pair(access: accesses.count - 1, refresh: refreshes.count - 1)
    }

    mutating func move(instance: Int, to version: Int) {
        let (node, old, new) = (
            instances[instance].node, instances[instance].versionNode, generation(.version(version))
        )
        if misbelief != .upgradeMovesNothing { tree.move(node, from: old, to: new) }
        (instances[instance].version, instances[instance].versionNode) = (version, new)
    }
}
