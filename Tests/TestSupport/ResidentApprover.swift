import Accounts
import Base
import Foundation
import HTTPTypes
import Operations
import PowerAuth
import ProtocolTestSupport
import Testing

/// People of the IdP with phones that approve, for logins of two factors.
extension TestServer {
    public var approvals: ApprovalLogin { parts.approvals }

    /// The way of a phone with the operations SDK to this server.
    public var phonePost: PowerAuthPhone.Post {
        let server = self
        return { path, headers, body in
            var fields: HTTPFields = [.contentType: "application/json"]
            for (name, value) in headers {
                if let name = HTTPField.Name(name) { fields[name] = value }
            }
            let reply = try await server.send(.post, OperationsParty.path + path, headers: fields, body: body)
            return PowerAuthReply(status: reply.status, json: reply.json)
        }
    }

    /// A phone that nobody has set up yet.
    public func newApprover(_ system: PowerAuthPhone.System = .ios) async throws -> PowerAuthPhone {
        let config = try await approvals.configuration().sdkConfig
        return try PowerAuthPhone(sdkConfig: try #require(config), system: system, clock: time.clock, post: phonePost)
    }

    /// A phone of theirs; confirmed, unless a test wants otherwise.
    public func approver(of account: Account, confirmed: Bool = true) async throws -> PowerAuthPhone {
        let id = try await approvals.register(account.id, below: [], actor: .server),
            setup = try await approvals.setup(id)
        let code = try await approvals.code(of: try #require(setup)).qrText
        var phone = try await newApprover()
        try await phone.activate(code)
        guard confirmed else { return phone }
        let isConfirmed = try await approvals.confirm(id, of: account.id, actor: .server)
        try #require(isConfirmed, "the phone is confirmed")
        return phone
    }
}

extension PowerAuthPhone {
    /// What the app does with a link that it scanned or was opened by: claims the operation, shows it, and takes its
    /// person's yes. `otp` in place of the link's code.
    public mutating func approve(
        link: String, _ type: FactorType = .possessionKnowledge, isWrong: Bool = false, otp: String? = nil
    ) async throws -> PowerAuthReply {
        let (shown, code) = try await open(link)
        guard shown.isOK else { return shown }
        var object: JSONObject = [
            "id": .string(shown.object?["id"]?.string ?? ""), "data": .string(shown.object?["data"]?.string ?? ""),
        ]
        if let code = otp ?? code {
            object["proximityCheck"] = JSONValue.object(["otp": .string(code), "type": "QR_CODE"])
        }
        return try await signed(
            PowerAuthPhone.operations + "/authorize", "/operation/authorize", ["requestObject": .object(object)], type,
            isWrong: isWrong)
    }

    public mutating func reject(link: String, reason: String = "UNEXPECTED_OPERATION") async throws -> PowerAuthReply {
        let (shown, _) = try await open(link)
        guard shown.isOK else { return shown }
        let object: JSONValue = ["id": .string(shown.object?["id"]?.string ?? ""), "reason": .string(reason)]
        return try await signed(
            PowerAuthPhone.operations + "/cancel", "/operation/cancel", ["requestObject": object], .possession)
    }

    /// The operation behind a link, claimed, and the link's code.
    public mutating func open(_ link: String) async throws -> (shown: PowerAuthReply, code: String?) {
        guard let scanned = ScannedProximityCode(link) else { throw PowerAuthPhoneError.distrust("link") }
        let token = try await createToken()
        return (
            try await read(
                PowerAuthPhone.operations + "/detail/claim", ["id": .string(scanned.operationID)], with: token),
            scanned.code
        )
    }
}
