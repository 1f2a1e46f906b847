/// Why an attempt at an operation was refused: the audit's word for the step, in the order in which the steps are taken
/// (backoffice.md, "On the phone's side").
enum RefusedStep: String, Sendable, CaseIterable {
    case unknown = "operation_unknown"
    case otherUser = "operation_of_other_user"
    case otherApplication = "operation_of_other_application"
    case otherRegistration = "operation_of_other_registration"
    case flagMissing = "flag_missing"
    case notPending = "operation_not_pending"
    case factorNotAllowed = "factor_not_allowed"
    case dataMismatch = "data_mismatch"
    case proximityMissing = "proximity_code_missing"
    case proximityMismatch = "proximity_code_mismatch"
    case signatureMismatch = "signature_mismatch"
}
