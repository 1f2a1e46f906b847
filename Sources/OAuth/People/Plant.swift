import Accounts
import Federation
import Foundation
import Registration

/// Makes the branches of one person's tree from what was read.
struct Plant {
    struct Client {
        let id: String, name: String, since: Date, changedAt: Date
    }

    struct App {
        let bundle: String, since: Date, lastUsed: Date
    }

    let account: UUID
    let names: PairwiseNames
    /// Names of apps.
    let titles: [String: String]
    let houses: Set<String>
    let apps: [Disclosure: [App]]

    func node(_ instance: AppInstance, isCurrent: Bool, _ services: [Disclosure]) -> AccountNode {
        let title = titles[instance.app] ?? instance.app
        return node(
            .instance(instance.id), .instance, instance.id, instance.name ?? instance.deviceType ?? title, app: title,
            since: instance.createdAt, lastUsed: instance.lastSeen, isCurrent: isCurrent, services.map { node($0) })
    }

    func node(_ session: BrowserSession, isCurrent: Bool) -> AccountNode {
        node(
            .browser(session.id), .browser, session.id, session.device, since: session.createdAt,
            lastUsed: session.lastSeen, isCurrent: isCurrent, [])
    }

    func node(_ client: Client, lastUsed: Date?, _ services: [Disclosure]) -> AccountNode {
        node(
            .client(client.id), .client, client.id, client.name, since: client.since,
            lastUsed: max(client.changedAt, lastUsed ?? client.changedAt), isCurrent: nil, services.map { node($0) })
    }

    private func node(_ told: Disclosure) -> AccountNode {
        let service = told.service ?? ""
        let children = (apps[told] ?? []).map { app in
            node(
                .app(told, bundle: app.bundle), .app, app.bundle, titles[app.bundle] ?? app.bundle, since: app.since,
                lastUsed: app.lastUsed, isCurrent: nil, [])
        }
        return node(
            .service(told), .service, service, told.serviceName ?? service, since: told.firstAt, lastUsed: told.lastAt,
            isCurrent: nil, houses.contains(service) ? children : nil)
    }

    private func node(
        _ branch: AccountNode.Branch, _ kind: AccountNode.Kind, _ subject: String, _ name: String?, app: String? = nil,
        since: Date, lastUsed: Date, isCurrent: Bool?, _ children: [AccountNode]?
    ) -> AccountNode {
        AccountNode(
            id: names.branch(branch.label, of: account), kind: kind, subject: subject, name: name, app: app,
            since: since, lastUsed: lastUsed, isCurrent: isCurrent, children: children, branch: branch)
    }
}
