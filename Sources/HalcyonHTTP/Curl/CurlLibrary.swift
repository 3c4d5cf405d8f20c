internal import CCurl
internal import CCurlShim

/// The parts of libcurl that hold for the whole process.
enum CurlLibrary {
    private static let initialization = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// The version of the library that runs, which may be newer than its headers: 0x075801 is 7.88.1.
    static let version = curl_version_info(CURLVERSION_FIRST)?.pointee.version_num ?? 0

    /// Initializes libcurl, once; safe from any thread since libcurl 7.84.
    static func initialize() {
        precondition(initialization == CURLE_OK, "libcurl cannot initialize")
    }

    /// A Boolean value that indicates whether several requests can go over one connection of HTTP/2 without TLS. Before
    /// libcurl 8.0, each request that is known to be HTTP/2 begins the protocol anew, which breaks a connection that is
    /// in use.
    static let sharesCleartextHTTP2 = curl_version_info(CURLVERSION_FIRST).pointee.version_num >= 0x08_00_00

    /// A Boolean value that indicates whether libcurl refuses cookies for public suffixes, because it has libpsl.
    static let knowsPublicSuffixes =
        curl_version_info(CURLVERSION_FIRST).pointee.features & Int32(bitPattern: UInt32(CURL_VERSION_PSL)) != 0

    /// A Boolean value that indicates whether libcurl calls back before each request goes out, once the connection is
    /// open.
    static let hasPrerequest = halcyon_curl_has_prerequest && version >= 0x07_50_00
}
