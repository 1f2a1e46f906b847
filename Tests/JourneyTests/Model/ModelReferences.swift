/// Finding what an operation works on.
extension TreeModel {
    func instance(_ reference: Reference) -> Int? {
        instances.place(reference, among: Array(instances.indices)) { isLive(instance: $0) }
    }

    func access(_ reference: Reference, _ kinds: [Kind]) -> Int? {
        accesses.place(reference, among: accesses.indices.filter { kinds.contains(accesses[$0].kind) }) {
            isLive(access: $0)
        }
    }

    /// One that lives is the family's newest.
    func refresh(_ reference: Reference) -> Int? {
        refreshes.place(reference, among: Array(refreshes.indices)) {
            refreshes[$0].sequence == families[refreshes[$0].family].sequence && lives(refreshes[$0].family)
        }
    }

    func code(_ reference: Reference) -> Int? {
        codes.place(reference, among: Array(codes.indices)) { isLive(code: $0) }
    }

    func assertion(_ reference: Reference) -> Int? {
        assertions.place(reference, among: Array(assertions.indices)) {
            !assertions[$0].isShown && isLive(assertion: $0)
        }
    }
}
