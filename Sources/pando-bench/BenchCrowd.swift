import Database
import Foundation
import Server
import Simulators
import TokenTree

/// Those who registered before: instances of the demo app with their ancestors and families, as a federation has that
/// has been running for a while.
enum BenchCrowd {
    static let instances = 20_000

    static func fill(_ composition: Composition) async throws {
        let version = "\(DemoFederation.app).1", now = composition.clock.now()
        let above = try await composition.store.generations(of: [.epoch, Ancestor(.version, version)])
        _ = try await composition.database.execute(
            """
            with made as (
                select 'crowd-' || n as name, gen_random_uuid() as instance, gen_random_uuid() as key,
                    gen_random_uuid() as token
                from generate_series(1, \(instances)::integer) n
            ), ancestors as (
                insert into ancestor (kind, name, id, opened_at)
                select 'instance', name, instance, \(now) from made union all select 'key', name, key, \(now) from made
            ), registered as (
                insert into app_instance (id, app, version, device_id, thumbprint, jwk, lineage, created_at, last_seen)
                select name, \(DemoFederation.app), \(version), name, name, '{}',
                    \(above)::uuid[] || array[instance, key], \(now), \(now) from made
            )
            insert into family (id, realm, kind, anchor, lineage, issued_at, child, client, jkt)
            select token, 'idp', 'instance_token', instance, \(above)::uuid[] || array[instance, key, token],
                \(now), token, name, name from made
            """)
    }
}
