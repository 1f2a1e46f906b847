import ArgumentParser
import Base
import Database
import Foundation
import TokenTree

/// What a product gives to `pando admin`.
public struct ProductAdministration: Sendable {
    /// Those that stand directly below `pando admin`.
    public let commands: [any ParsableCommand.Type]
    public let accountDeletion: AccountDeletion?
    public let rotation: MasterKeyRotation?
    /// Which of its commands are not the federation's alone.
    public let rules: [AdminRule]

    public init(
        commands: [any ParsableCommand.Type] = [], accountDeletion: AccountDeletion? = nil,
        rotation: MasterKeyRotation? = nil, rules: [AdminRule] = []
    ) {
        (self.commands, self.accountDeletion, self.rotation) = (commands, accountDeletion, rotation)
        self.rules = rules
    }
}

/// What a product deletes with an account, whether the process runs it or not.
public struct AccountDeletion: Sendable {
    /// What the result of `accounts delete` calls the number of things deleted; products may share it.
    public let member: String
    /// How many there were.
    public let delete: Delete

    public typealias Delete =
        @Sendable (
            _ account: UUID, _ actor: AuditActor, _ now: Date, _ transaction: any SQLExecutor
        ) async throws -> Int

    public init(member: String, delete: @escaping Delete) { (self.member, self.delete) = (member, delete) }
}

/// What a product seals by the master key, whether the process runs it or not.
public struct MasterKeyRotation: Sendable {
    /// What the result of `keys reseal` calls the number of secrets sealed anew; the product's alone.
    public let member: String
    /// What has links that come from the master key, so that it ends with the old one: a plural that may begin a
    /// sentence.
    public let ends: String
    /// How many there were. Throws when a secret is sealed by neither key; then nothing of the transaction counts.
    public let reseal: Reseal

    public typealias Reseal =
        @Sendable (
            _ old: MasterKey, _ new: MasterKey, _ clock: WallClock, _ transaction: any SQLExecutor
        ) async throws -> Int

    public init(member: String, ends: String, reseal: @escaping Reseal) {
        (self.member, self.ends, self.reseal) = (member, ends, reseal)
    }
}
