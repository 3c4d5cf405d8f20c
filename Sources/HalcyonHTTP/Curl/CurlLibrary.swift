internal import CCurlShim

/// The functions of libcurl. With it come 30 further libraries, which a program that transfers nothing does without: it is
/// loaded by the thread of a transport, ``CurlLibrary/multiHandle(idleConnections:)``, and used by nothing before.
// Pointers to functions, which never change. That they can be sent is not known, as those that are variadic have no type in Swift.
nonisolated(unsafe) let libcurl: HalcyonCurlLibrary = {
    guard let library = halcyon_curl_library() else { preconditionFailure("libcurl is used where it is not installed") }
    return library.pointee
}()

/// The parts of libcurl that hold for the whole process.
enum CurlLibrary {
    /// Loads libcurl, initializes it, which may be done more than once and by any thread since libcurl 7.84, and creates the
    /// handle of an event loop.
    static func multiHandle(idleConnections: Int) throws(TransferError) -> UnsafeMutableRawPointer {
        guard halcyon_curl_library() != nil else {
            throw .other("libcurl is not installed, or cannot be loaded (libcurl.so.4)")
        }
        guard libcurl.curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let multi = libcurl.curl_multi_init()
        else {
            throw .other("libcurl cannot initialize: out of memory or descriptors")
        }
        halcyon_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(1, idleConnections))
        return multi
    }

    private static let features = libcurl.curl_version_info(CURLVERSION_FIRST)?.pointee.features ?? 0

    /// The version of the library that runs, which may be newer than its headers: 0x075801 is 7.88.1.
    static let version = libcurl.curl_version_info(CURLVERSION_FIRST)?.pointee.version_num ?? 0

    /// "7.88.1 OpenSSL/3.0.15 …"; `nil` where libcurl is not installed.
    static var versionText: String? {
        guard let text = halcyon_curl_library()?.pointee.curl_version() else { return nil }
        return String(String(cString: text).dropFirst("libcurl/".count))
    }

    /// The words of libcurl for what a code means.
    static func text(of code: CURLcode) -> String {
        libcurl.curl_easy_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
    }

    /// A Boolean value that indicates whether several requests can go over one connection of HTTP/2 without TLS. Before
    /// libcurl 8.0, each request that is known to be HTTP/2 begins the protocol anew, which breaks a connection that is
    /// in use.
    static let sharesCleartextHTTP2 = version >= 0x08_00_00

    /// A Boolean value that indicates whether libcurl refuses cookies for public suffixes, because it has libpsl.
    static let knowsPublicSuffixes = features & Int32(bitPattern: UInt32(CURL_VERSION_PSL)) != 0

    /// A Boolean value that indicates whether libcurl calls back before each request goes out, once the connection is
    /// open.
    static let hasPrerequest = halcyon_curl_has_prerequest && version >= 0x07_50_00
}
