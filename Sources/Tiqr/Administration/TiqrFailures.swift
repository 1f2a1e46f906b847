import Administration

extension TiqrRefusal: AdminRefusal {
    public var failure: AdminFailure {
        switch self {
        case .invalidRequest: AdminFailure(.invalid, description)
        case .notFound: AdminFailure(.notFound, description)
        case .conflict, .invalidOTP, .accountBlocked, .invalidChallenge: AdminFailure(.conflict, description)
        }
    }
}

extension ExportedTable.Malformed: AdminRefusal {
    public var failure: AdminFailure { AdminFailure(.invalid, description) }
}

extension OtherMasterKey: AdminRefusal {
    public var failure: AdminFailure { AdminFailure(.conflict, description) }
}
