import Base
import Database
import Foundation
import OAuth

/// Rows of `liquid_person`: which account of this server a pseudonym of the service stands for.
///
/// A token tells the pseudonym alone, which nobody can turn back. Everybody who has a token was given an assertion for
/// this service first, and that is noted by the transaction that issues it (`service_usage`): so those whose pseudonym
/// is not written down yet are few, and each is reckoned once.
struct LiquidPeople: Sendable {
    /// Accounts of one look.
    private static let batch = 2_000

    let database: Database
    let role: ServiceRole
    let clock: WallClock

    /// `nil` for nobody of this server: the IdP may be another, or the account gone.
    func account(of subject: String) async throws -> UUID? {
        // One that is longer is nobody's, and PostgreSQL takes no NUL in a text.
        guard (1...100).contains(subject.utf8.count), !subject.utf8.contains(0) else { return nil }
        if let known = try await known(subject) { return known }
        while try await learn() == LiquidPeople.batch {}
        return try await known(subject)
    }

    private func known(_ subject: String) async throws -> UUID? {
        try await database.query("select p.account from liquid_person p where p.subject = \(subject)").first.map {
            try $0("account")
        }
    }

    /// Writes down some who are not; how many were found. A service that was removed and added again has another id,
    /// and with it other pseudonyms: those of before are nobody's.
    private func learn() async throws -> Int {
        let rows = try await database.query(
            """
            select u.account, u.service from service_usage u join service s on s.id = u.service
            where s.base = \(role.realm.base)
                and not exists (select from liquid_person p where p.account = u.account
                    and p.created_at >= s.created_at)
            order by u.account limit \(LiquidPeople.batch)
            """)
        guard !rows.isEmpty else { return 0 }
        let accounts: [UUID] = try rows.map { try $0("account") }
        let subjects = try rows.map { role.subject(of: try $0("account"), at: try $0("service")) }
        _ = try await database.execute(
            """
            insert into liquid_person (subject, account, created_at)
            select x.subject, a.id, greatest(\(clock.now()), (
                    select max(s.created_at) from service s where s.base = \(role.realm.base)))
                from unnest(\(subjects), \(accounts)) as x (subject, account) join account a on a.id = x.account
            on conflict (subject) do update set created_at = excluded.created_at
            """)
        return rows.count
    }
}
