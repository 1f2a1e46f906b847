import Accounts
import Base

/// The limits that all endpoints of this process share; `nil` where there is none.
public final class RequestLimits: Sendable {
    let address: AddressLimit?
    let load: LoadLimit?

    public static let none = RequestLimits(address: nil, load: nil)

    public init(address: AddressLimit?, load: LoadLimit?) { (self.address, self.load) = (address, load) }

    /// What runs for an endpoint, within them.
    func around(_ endpoint: Endpoint, _ handler: @escaping Endpoint.Handler) -> Endpoint.Handler {
        var handler = handler
        if endpoint.isGrant, let load { handler = load.bounding(handler) }
        if endpoint.showsSender, let address { handler = AddressLimiting.givingBack(handler, address) }
        return handler
    }
}
