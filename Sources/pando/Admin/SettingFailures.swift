import HTTP

extension UnacceptableSetting: AdminRefusal {
    var failure: AdminFailure { AdminFailure(.invalid, description) }
}
