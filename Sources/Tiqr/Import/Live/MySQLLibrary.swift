import Foundation

/// Connector/C of MariaDB, which speaks to MySQL too: loaded when an import asks for it, since nobody else needs it.
///
/// Types and numbers are those of its `mysql.h`, the same in all that are called `libmariadb.so.3`.
struct MySQLLibrary {
    typealias Connection = OpaquePointer
    typealias Result = OpaquePointer
    typealias Text = UnsafePointer<CChar>
    typealias Fields = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    /// `enum mysql_option`.
    enum Option: UInt32 {
        case connectTimeout = 0, characterSet = 7, localInfile = 8, transport = 9, readTimeout = 11, writeTimeout = 12
        case verifyServer = 21, authority = 27, enforceTLS = 38
        case restrictedAuthentication = 7026
    }

    /// `mysql_protocol_type`.
    enum Transport: UInt32 { case tcp = 1, socket = 2 }

    let start: @convention(c) (Connection?) -> Connection?
    let set: @convention(c) (Connection?, UInt32, UnsafeRawPointer?) -> CInt
    let connect:
        @convention(c) (Connection?, Text?, Text?, Text?, Text?, UInt32, Text?, UInt) ->
            Connection?
    let query: @convention(c) (Connection?, Text?, UInt) -> CInt
    let result: @convention(c) (Connection?) -> Result?
    let width: @convention(c) (Result?) -> UInt32
    let row: @convention(c) (Result?) -> Fields?
    let lengths: @convention(c) (Result?) -> UnsafeMutablePointer<UInt>?
    let free: @convention(c) (Result?) -> Void
    let errorNumber: @convention(c) (Connection?) -> UInt32
    let errorText: @convention(c) (Connection?) -> Text?
    /// `nil` where the connection is in plain text.
    let cipher: @convention(c) (Connection?) -> Text?
    let close: @convention(c) (Connection?) -> Void

    /// Stays loaded until the process ends.
    init() throws(LiveFailure) {
        guard let library = dlopen("libmariadb.so.3", RTLD_NOW | RTLD_LOCAL) else { throw .noLibrary }
        func symbol<Function>(_ name: String) throws(LiveFailure) -> Function {
            guard let address = dlsym(library, name) else { throw .noLibrary }
            return unsafeBitCast(address, to: Function.self)
        }
        start = try symbol("mysql_init")
        set = try symbol("mysql_options")
        connect = try symbol("mysql_real_connect")
        query = try symbol("mysql_real_query")
        result = try symbol("mysql_use_result")
        width = try symbol("mysql_num_fields")
        row = try symbol("mysql_fetch_row")
        lengths = try symbol("mysql_fetch_lengths")
        free = try symbol("mysql_free_result")
        errorNumber = try symbol("mysql_errno")
        errorText = try symbol("mysql_error")
        cipher = try symbol("mysql_get_ssl_cipher")
        close = try symbol("mysql_close")
    }
}
