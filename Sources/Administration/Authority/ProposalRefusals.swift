import Federation

extension ServiceProposalStore.Refused: AdminRefusal {
    public var failure: AdminFailure {
        switch self {
        case .tooMany(let most):
            AdminFailure(
                .conflict, "\(most) proposals of yours are open already",
                hint: "`services proposals withdraw` takes one back")
        case .proposedAlready(let base): AdminFailure(.conflict, "you have proposed \(base) already")
        case .state(let text): AdminFailure(.conflict, text)
        }
    }
}
