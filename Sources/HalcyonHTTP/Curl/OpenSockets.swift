internal import CCurl
internal import CCurlShim
internal import Glibc
internal import HalcyonConcurrency

/// The sockets that libcurl has open for one event loop. They are opened and closed here, so that another thread can look
/// at them, or end their connections, without meeting a number that is another file's by then.
final class OpenSockets: Sendable {
    /// By descriptor, the bytes that had been read from it when they were last counted.
    private let sockets = Lock<[Int32: UInt64]>([:])

    func open(_ target: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        let descriptor = socket(
            target.pointee.family,
            target.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
            target.pointee.protocol
        )
        guard descriptor >= 0 else { return -1 }  // CURL_SOCKET_BAD
        insert(descriptor)
        return descriptor
    }

    func insert(_ descriptor: Int32) {
        sockets.withLock { $0[descriptor] = 0 }
    }

    /// Closes a socket of libcurl's. The context is the table, which outlives every connection.
    static let closer: curl_closesocket_callback = { context, descriptor in
        guard let context else { return Glibc.close(descriptor) }
        return Unmanaged<OpenSockets>.fromOpaque(context).takeUnretainedValue().close(descriptor)
    }

    func close(_ descriptor: Int32) -> Int32 {
        sockets.withLock { sockets in
            sockets[descriptor] = nil
            // Under the lock: once closed, the number may be given to any other file.
            return Glibc.close(descriptor)
        }
    }

    /// Counts what has been read from each socket, for ``endConnections(whereMoreWasReadThan:)``.
    func countBytesRead() {
        sockets.withLock { sockets in
            for descriptor in sockets.keys { sockets[descriptor] = Self.bytesRead(descriptor) ?? .max }
        }
    }

    /// Ends the connections from which more than `limit` bytes were read since they were last counted. What reads them
    /// sees the end of the connection, or an error.
    func endConnections(whereMoreWasReadThan limit: UInt64) {
        sockets.withLock { sockets in
            for (descriptor, earlier) in sockets {
                guard let count = Self.bytesRead(descriptor), count > earlier, count - earlier > limit else { continue }
                // Both ways: the kernel still takes bytes for a socket that is shut down for reading alone.
                shutdown(descriptor, Int32(SHUT_RDWR))
            }
        }
    }

    /// The socket with that local port, and the bytes read from it so far; `nil` if there is none, or there are several,
    /// at several addresses.
    func bytesRead(localPort: Int32) -> (descriptor: Int32, count: UInt64)? {
        sockets.withLock { sockets in
            guard let descriptor = Self.descriptor(in: sockets, localPort: localPort) else { return nil }
            return Self.bytesRead(descriptor).map { (descriptor, $0) }
        }
    }

    /// Ends the connection of the socket with that local port, if there is just one. Does nothing where libcurl has closed it.
    func endConnection(localPort: Int32) {
        sockets.withLock { sockets in
            guard let descriptor = Self.descriptor(in: sockets, localPort: localPort) else { return }
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }

    private static func descriptor(in sockets: [Int32: UInt64], localPort: Int32) -> Int32? {
        let found = sockets.keys.filter { Self.localPort($0) == localPort }
        return found.count == 1 ? found.first : nil
    }

    private static func localPort(_ descriptor: Int32) -> Int32? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                guard getsockname(descriptor, generic, &length) == 0 else { return nil }
                // The port stands at the same place for both kinds of addresses.
                return UnsafeRawPointer(generic).withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                    Int32(in_port_t(bigEndian: address.pointee.sin_port))
                }
            }
        }
    }

    /// The bytes read from a socket so far; `nil` if the kernel does not tell.
    private static func bytesRead(_ descriptor: Int32) -> UInt64? {
        var count: UInt64 = 0
        return halcyon_socket_bytes_read(descriptor, &count) ? count : nil
    }
}
