import Base
import OAuth

/// What can be done with resources of one type. Whatever is refused is thrown.
protocol SCIMResources: Sendable {
    var type: SCIMResourceType { get }

    func list(_ query: SCIMQuery, for client: DirectoryClient) async throws -> SCIMListing
    func find(_ id: String, _ shown: SCIMProjection, for client: DirectoryClient) async throws -> SCIMAnswer
    func create(_ body: JSONValue, _ shown: SCIMProjection, for client: DirectoryClient) async throws -> SCIMAnswer
    func replace(
        _ id: String, _ body: JSONValue, if condition: SCIMPrecondition, _ shown: SCIMProjection,
        for client: DirectoryClient
    ) async throws -> SCIMAnswer
    func patch(
        _ id: String, _ body: JSONValue, if condition: SCIMPrecondition, _ shown: SCIMProjection,
        for client: DirectoryClient
    ) async throws -> SCIMAnswer
    func delete(_ id: String, if condition: SCIMPrecondition, for client: DirectoryClient) async throws -> SCIMAnswer
}
