import Base
import Database
import Federation
import Foundation
import OAuth
import Server
import TokenTree

/// Services that hear, and instances of an app version with a login and an assertion each: rows of the shape that
/// issuing gives them, with whole lineages.
struct BenchReachRows: Sendable {
    /// Instances of one statement, which has a time limit.
    private static let portion = 5_000

    let composition: Composition

    private var database: Database { composition.database }

    /// `count` active services at this receiver, with paths that begin with `name`.
    func services(
        _ count: Int, _ name: String, hearing: Hearing.Wish, at receiver: BenchReceiver
    ) async throws
        -> [String]
    {
        let client: String? = try await database.query("select min(id) as id from client").first.map { try $0("id") }
        let index = ServiceIndex(clock: composition.clock)
        var services: [String] = []
        for number in 1...count {
            let id = "\(name)-\(number)", base = "\(receiver.address)/\(id)"
            guard let client, let address = WebAddress(base) else { throw BenchFailure.notServing }
            _ = try await index.add(
                id: id, name: id, base: address, client: client, claims: [], rsd: nil, allowsLoopback: true,
                notify: hearing, revocationEndpoint: hearing == .revoke ? base + "/revoke" : nil, status: .active,
                in: database)
            services.append(id)
        }
        return services
    }

    /// Instances with an assertion each, evenly over the services; an assertion of one.
    func fill(_ count: Int, of version: String, at services: [String], isCalledFor: Bool) async throws -> NodeID {
        let sample = try await sample(version, at: services)
        for first in stride(from: 1, through: count, by: Self.portion) {
            try await fill(sample, first...min(first + Self.portion - 1, count), isCalledFor: isCalledFor)
        }
        for table in ["token", "ancestor", "app_instance", "family", "reach", "assertion_reach"] {
            _ = try await database.execute("vacuum (analyze) \(identifier: table)")
        }
        guard let assertion = NodeID(sample.prefix + "000000000001") else { throw BenchFailure.notServing }
        return assertion
    }

    /// What all copies have of it.
    private struct Sample {
        let version: String
        /// Epoch and version.
        let above: [NodeID]
        let signer: [NodeID]
        let services: [String]
        /// Their ancestors.
        let generations: [NodeID]
        let assertion: NodeID
        /// The identifiers of copies are this and twelve digits.
        let prefix: String
    }

    /// A login and an assertion that are issued, and nowhere told of.
    private func sample(_ version: String, at services: [String]) async throws -> Sample {
        let store = composition.store, account = UUID(), name = "sample of \(version)"
        let above = try await store.generations(of: [
            .epoch, Ancestor(.version, version), Ancestor(.instance, name), Ancestor(.key, name),
            Ancestor(.account, account.uuidString.lowercased()),
        ])
        let generations = try await store.generations(of: services.map { Ancestor(.service, $0) })
        let use = try await store.generations(of: [.use(account, at: services[0])])
        let login = try await store.issue(
            TokenDraft(
                TokenBody(
                    realm: "idp", kind: .personalAccessToken, parent: nil, anchor: above[2], account: account,
                    client: name, jkt: name), inherited: [], added: above,
                lifetime: Lifetimes().personalAccessToken)
        ).row
        let assertion = try await store.issue(
            TokenDraft(
                TokenBody(
                    realm: "idp", kind: .assertion, parent: login.family, anchor: above[2], account: account,
                    client: name, service: services[0], jkt: name), inherited: login.lineage,
                added: [generations[0]] + use, lifetime: Lifetimes().assertion,
                memory: PartitionPlan.assertionMemory)
        ).row
        return Sample(
            version: version, above: Array(above.prefix(2)),
            signer: Array(login.lineage.dropFirst(above.count).dropLast()), services: services,
            generations: generations, assertion: assertion.id,
            prefix: String(assertion.id.description.prefix(14)) + "8000-8000-")
    }

    private func fill(_ sample: Sample, _ numbers: ClosedRange<Int>, isCalledFor: Bool) async throws {
        let now = composition.clock.now(), name = sample.version + "."
        let called: SQL =
            isCalledFor
            ? """
            , called as (
                insert into assertion_reach (assertion, service, anchor, lineage)
                select assertion, service, instance, lineage from placed
            )
            """ : ""
        _ = try await database.execute(
            """
            with made as (
                select \(name) || n::text as name, gen_random_uuid() as instance, gen_random_uuid() as key,
                    gen_random_uuid() as account, gen_random_uuid() as person, gen_random_uuid() as registered,
                    gen_random_uuid() as login, gen_random_uuid() as use,
                    (\(sample.prefix) || lpad(n::text, 12, '0'))::uuid as assertion, s.service, s.generation
                from generate_series(\(numbers.lowerBound)::integer, \(numbers.upperBound)::integer) n
                join unnest(\(sample.services)::text[], \(sample.generations)::uuid[]) with ordinality
                    as s (service, generation, place) on s.place = n % \(sample.services.count)::integer + 1
            ), placed as (
                select assertion, service, person, instance, name, login,
                    \(sample.above)::uuid[] || array[instance, key, account] || \(sample.signer)::uuid[]
                        || array[login, generation, use, assertion] as lineage
                from made
            ), ancestors as (
                insert into ancestor (kind, name, id, opened_at)
                select 'instance', name, instance, \(now) from made
                union all select 'key', name, key, \(now) from made
                union all select 'account', person::text, account, \(now) from made
                union all select 'use', person::text || '/' || service, use, \(now) from made
            ), instances as (
                insert into app_instance (id, app, version, device_id, thumbprint, jwk, lineage, created_at, last_seen)
                select made.name, v.app, v.id, made.name, made.name, '{}',
                    \(sample.above)::uuid[] || array[instance, key], \(now), \(now)
                from made join app_version v on v.id = \(sample.version)
            ), families as (
                insert into family (id, realm, kind, anchor, lineage, issued_at, child, account, client, jkt)
                select registered, 'idp', 'instance_token', instance, \(sample.above)::uuid[] || array[instance, key]
                        || \(sample.signer)::uuid[] || array[registered],
                    \(now), registered, null, name, name from made
                union all
                select login, 'idp', 'pat', instance, \(sample.above)::uuid[] || array[instance, key, account]
                        || \(sample.signer)::uuid[] || array[login],
                    \(now), login, person, name, name from made
            ), told as (
                insert into reach (node, service) select node, service from placed, unnest(lineage) as l (node)
                on conflict do nothing
            )\(called)
            insert into token (id, realm, kind, family, parent, anchor, lineage, issued_at, expires_at, account,
                client, service, jkt)
            select p.assertion, t.realm, t.kind, p.assertion, p.login, p.instance, p.lineage, t.issued_at,
                t.expires_at, p.person, p.name, p.service, p.name
            from placed p join token t on t.id = \(sample.assertion)
            """)
    }
}
