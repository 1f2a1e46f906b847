import Accounts
import Base
import Database
import HTTP
import Keys
import Liquid
import Logging
import OAuth
import Operations
import Registration
import Tiqr
import Viewer

/// The list of products: a line each. A product that is switched off is not in it.
struct Products {
    let services: [HostedService]

    /// `isServing`: this process runs workers, so the files that they need are read.
    init(_ settings: Settings, dependencies: ServiceRole.Dependencies, clients: ClientAuthentication, tiqr: TiqrService?, operations: OperationsServices?,
         liquid: LiquidService?, peers: Peers, isServing: Bool, database: Database, clock: WallClock, randomness: Randomness, logger: Logger) throws {
        let root = settings.root, isIdP = settings.roles.contains(.idp), pushes = PushAllowance(database: database, clock: clock)
        func role(_ id: Settings.Role) -> ServiceRole? {
            BuiltInServices.all(root: root, roles: settings.roles).first { $0.id == id.rawValue }.map { ServiceRole($0, on: dependencies) }
        }
        func logsIn(_ factor: Settings.LoginFactor) -> Bool { isIdP && settings.loginFactors.contains(factor) }
        var services: [HostedService] = []
        if let viewer = role(.viewer) { services.append(.viewer(viewer, root: root)) }
        if let tiqr {
            services.append(.tiqr(tiqr, role: role(.tiqr), login: logsIn(.tiqr) ? .tiqr(TiqrLogin(tiqr), pushes: pushes) : nil, root: root,
                                  workers: TiqrComposition.workers(tiqr, database: database, logger: logger)))
        }
        if let operations {
            let doors = operations.doors(basic: settings.operations.takesBasic ? clients : nil)
            services.append(.operations(doors, role: role(.operations), login: logsIn(.operations) ? .operations(operations.approvals, pushes: pushes) : nil, root: root,
                                        workers: isServing ? try operations.workers(database: database, peers: peers, logger: logger) : []))
        }
        if let liquid {
            services.append(.liquid(LiquidComposition.doors(liquid, settings.liquid), role: role(.liquid),
                                    login: isIdP && settings.takesPasskeys ? .passkeys(PasskeyLogin(liquid), randomness: randomness) : nil, root: root,
                                    workers: LiquidComposition.workers(liquid)))
        }
        self.services = services
    }
}
