internal import CCurl
internal import CCurlShim
internal import Glibc

/// The sockets of plain HTTP/1.1 connections that have carried a transfer, to check before the next request whether
/// bytes wait there already.
///
/// None may: an answer cannot come before its request, so such bytes are the surplus of the last response, and would be
/// taken for the next one. Before 8.0, libcurl checks only whether the connection has ended.
///
/// libcurl identifies a connection by its local port. A socket that it has closed meanwhile may still be listed here,
/// and its number may be another file's by now, which does no harm: it is only read, and the worst is a needless new
/// connection.
///
/// Belongs to the event loop's thread.
struct IdleSockets {
    /// The largest number of sockets, far more than are open at a time.
    private static let maximumCount = 1024

    private var sockets: [Int32: Int32] = [:]

    /// Notes the socket of a transfer that opened a connection, while the handle still holds it.
    mutating func note(_ handle: CurlHandle) {
        guard halcyon_curl_get_long(handle.easy, CURLINFO_NUM_CONNECTS) > 0 else { return }
        let socket = halcyon_curl_get_socket(handle.easy)
        guard socket >= 0 else { return }
        let port = Int32(truncatingIfNeeded: halcyon_curl_get_long(handle.easy, CURLINFO_LOCAL_PORT))
        // Most of them have been closed long before.
        if sockets.count >= Self.maximumCount { sockets.removeAll(keepingCapacity: true) }
        sockets[port] = socket
    }

    /// Returns whether surplus bytes wait at the connection with that local port.
    func haveSurplus(_ localPort: Int32) -> Bool {
        guard let socket = sockets[localPort] else { return false }
        var byte: UInt8 = 0
        let flags = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)
        return recv(socket, &byte, 1, flags) > 0
    }
}
