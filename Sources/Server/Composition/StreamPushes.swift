import Base
import Federation
import HTTP

extension OutgoingHTTP {
    /// Pushes of streams (RFC 8935): to where a service has asked for them, so at addresses that the crawler may reach.
    var streamPush: StreamCourses.Push {
        let callback = callback
        return { url, authorization, token in
            var headers = [(name: "Content-Type", value: "application/secevent+jwt")]
            if let authorization { headers.append((name: "Authorization", value: authorization)) }
            return try await callback(Request(method: "POST", url: url, headers: headers, body: Array(token.utf8)))
        }
    }
}
