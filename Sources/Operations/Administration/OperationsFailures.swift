import Administration

extension BackOfficeRefusal: AdminRefusal {
    public var failure: AdminFailure {
        switch self {
        case .request, .invalidOTP: AdminFailure(.invalid, description)
        case .registrationNotFound, .operationNotFound, .templateNotFound, .applicationNotFound, .callbackNotFound:
            AdminFailure(.notFound, description)
        case .conflict, .registrationNotAllowed, .registrationChange, .operationStateChange:
            AdminFailure(.conflict, description)
        }
    }
}

extension ForeignSeal: AdminRefusal {
    public var failure: AdminFailure { AdminFailure(.conflict, description) }
}
