import Base
import Database
import Foundation

/// POST /enrollments, as the caller asks.
public struct EnrollmentDraft: Sendable {
    public let displayName: String
    public let identifier: String?
    public let externalID: String?
    /// Seconds; 300 without.
    public let expiresIn: Int?

    public init(displayName: String, identifier: String? = nil, externalID: String? = nil, expiresIn: Int? = nil) {
        (self.displayName, self.identifier, self.externalID, self.expiresIn) = (
            displayName, identifier, externalID, expiresIn
        )
    }

    func checked() throws(TiqrRefusal) -> EnrollmentDraft {
        try ShownText.check(displayName, "display_name")
        if let externalID { try ShownText.check(externalID, "external_id", limit: 255) }
        guard (1...3_600).contains(expiresIn ?? 300) else { throw .invalidRequest("expires_in is 1 to 3600 seconds") }
        return self
    }
}

public enum EnrollmentStatus: String, Sendable { case initialized, retrieved, finalized, validated, expired, cancelled }

/// GET /enrollments/{id}.
public struct EnrollmentView: Sendable, WaitedFor {
    public let id: String
    public let status: EnrollmentStatus
    public let identity: String
    public let expiresAt: Date
    let version: Int
    let app: AppLinks

    /// The ETag without its quotes.
    public var etag: String { "\(version)-\(status.rawValue)" }
    /// When the status changes by itself.
    public var changesAt: Date? { status == .initialized || status == .retrieved ? expiresAt : nil }

    public var json: JSONValue {
        [
            "id": .string(id), "status": .string(status.rawValue), "identity": .string(identity),
            "expires_at": .string(expiresAt.rfc3339),
        ]
    }
}

/// The answer to POST /enrollments: the view, and what to show.
public struct StartedEnrollment: Sendable {
    public let view: EnrollmentView
    public let enrollURL: String
    public let universalLink: String
    public let metadataURL: String
    public let pictures: PictureAddresses

    init(view: EnrollmentView, links: LinkKeys) {
        self.view = view
        (metadataURL, enrollURL) = (links.metadataURL(view.id), links.enrollment(view, universal: false))
        universalLink = links.enrollment(view, universal: true)
        pictures = links.pictures("enrollments", view.id)
    }

    public var json: JSONValue {
        [
            "id": .string(view.id), "status": .string(view.status.rawValue), "identity": .string(view.identity),
            "enroll_url": .string(enrollURL),
            "universal_link": .string(universalLink), "metadata_url": .string(metadataURL), "qr": pictures.json,
            "expires_at": .string(view.expiresAt.rfc3339),
        ]
    }
}

/// What the phone is told about its registration (protocols/tiqr.md, 1.7): `OK` or 1; `ERROR` or 101, of which iOS
/// shows the text.
public enum RegisterAnswer: Sendable, Equatable {
    case enrolled
    case refused(String)

    public var responseCode: Int { self == .enrolled ? 1 : 101 }
    public var text: String { self == .enrolled ? "OK" : "ERROR" }

    /// Protocol 2.
    public var json: JSONValue {
        switch self {
        case .enrolled: ["responseCode": 1]
        case .refused(let message): ["responseCode": 101, "message": .string(message)]
        }
    }
}
