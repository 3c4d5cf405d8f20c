internal import CCurlShim
internal import Glibc
internal import HalcyonSystem

/// The sockets that libcurl has open for one event loop. They are opened and closed here, so that another thread can
/// read their state, or end their connections, without using a number that is another file's by then.
final class OpenSockets: Sendable {
    private struct Entry {
        /// The bytes that had been read from it when they were last counted.
        var countedBytes: UInt64 = 0
        /// The credential that its opener sends to the proxy.
        var proxyCredential: Credential?
        /// The exchange that opened it (``CurlExchange/number``).
        var opener: Int
        /// The local port; 0 as long as it is not known.
        var port: Int32 = 0
    }

    private struct Table {
        var entries: [Int32: Entry] = [:]
        /// The descriptors by local port, of which there may be one at each address.
        var ports: [Int32: [Int32]] = [:]
        /// The descriptors whose port is not known yet, because they were not connected when they were last checked.
        var unbound: Set<Int32> = []

        /// Returns the sockets with that local port, of which there may be one for each pair of addresses.
        mutating func descriptors(localPort: Int32) -> [Int32] {
            for descriptor in unbound {
                guard let port = OpenSockets.localPort(descriptor), port != 0 else { continue }
                unbound.remove(descriptor)
                entries[descriptor]?.port = port
                ports[port, default: []].append(descriptor)
            }
            return ports[localPort] ?? []
        }

        /// Returns the socket with that local port; `nil` if there is none, or there are several.
        mutating func descriptor(localPort: Int32) -> Int32? {
            let found = descriptors(localPort: localPort)
            return found.count == 1 ? found[0] : nil
        }

        mutating func insert(_ descriptor: Int32, _ entry: Entry) {
            remove(descriptor)
            entries[descriptor] = entry
            unbound.insert(descriptor)
        }

        mutating func remove(_ descriptor: Int32) {
            unbound.remove(descriptor)
            guard let entry = entries.removeValue(forKey: descriptor), entry.port != 0 else { return }
            ports[entry.port]?.removeAll { $0 == descriptor }
            if ports[entry.port]?.isEmpty == true { ports[entry.port] = nil }
        }
    }

    private let table = Lock(Table())

    /// Opens a socket, for an exchange that sends `proxyCredential` to its proxy.
    func open(
        _ target: UnsafeMutablePointer<curl_sockaddr>,
        for opener: Int,
        proxyCredential: Credential?
    ) -> curl_socket_t {
        let descriptor = socket(
            target.pointee.family,
            target.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
            target.pointee.protocol
        )
        guard descriptor >= 0 else { return -1 }  // CURL_SOCKET_BAD
        insert(descriptor, for: opener, proxyCredential: proxyCredential)
        return descriptor
    }

    func insert(_ descriptor: Int32, for opener: Int = 0, proxyCredential: Credential? = nil) {
        table.withLock { $0.insert(descriptor, Entry(proxyCredential: proxyCredential, opener: opener)) }
    }

    /// Returns whether a socket is open that this exchange has opened, or that has this local port.
    func haveSocket(openedBy opener: Int, orAt localPort: Int32) -> Bool {
        table.withLock { table in
            (localPort != 0 && !table.descriptors(localPort: localPort).isEmpty)
                || table.entries.values.contains { $0.opener == opener }
        }
    }

    /// Closes a socket of libcurl's. The context is the table, which outlives every connection.
    static let closer: curl_closesocket_callback = { context, descriptor in
        guard let context else { return Glibc.close(descriptor) }
        return Unmanaged<OpenSockets>.fromOpaque(context).takeUnretainedValue().close(descriptor)
    }

    func close(_ descriptor: Int32) -> Int32 {
        table.withLock { table in
            table.remove(descriptor)
            // Under the lock: once closed, the number may be given to any other file.
            return Glibc.close(descriptor)
        }
    }

    /// Counts the bytes that have been read from each socket, for ``endConnections(whereMoreWasReadThan:)``.
    func countBytesRead() {
        table.withLock { table in
            for descriptor in table.entries.keys {
                table.entries[descriptor]?.countedBytes = Self.bytesRead(descriptor) ?? .max
            }
        }
    }

    /// Ends the connections from which more than `limit` bytes were read since they were last counted. Their reader
    /// sees the end of the connection, or an error.
    func endConnections(whereMoreWasReadThan limit: UInt64) {
        table.withLock { table in
            for (descriptor, entry) in table.entries {
                let earlier = entry.countedBytes
                guard let count = Self.bytesRead(descriptor), count > earlier, count - earlier > limit else { continue }
                // Both ways: the kernel still accepts bytes for a socket that is shut down for reading alone.
                shutdown(descriptor, Int32(SHUT_RDWR))
            }
        }
    }

    /// Returns the socket with that local port, and the bytes read from it so far; `nil` if there is none, or there are
    /// several, at several addresses. Takes constant time, but for sockets that are new.
    func bytesRead(localPort: Int32) -> (descriptor: Int32, count: UInt64)? {
        table.withLock { table in
            guard let descriptor = table.descriptor(localPort: localPort) else { return nil }
            return Self.bytesRead(descriptor).map { (descriptor, $0) }
        }
    }

    /// Returns whether the socket with that local port was opened with this credential for the proxy, or without any if
    /// `credential` is `nil`. False where that is not known for sure.
    func isOpened(with credential: Credential?, localPort: Int32) -> Bool {
        table.withLock { table in
            guard let descriptor = table.descriptor(localPort: localPort), let entry = table.entries[descriptor]
            else { return false }
            return entry.proxyCredential == credential
        }
    }

    /// Returns whether bytes wait at a kept connection of HTTP/1.1 with that local port, or at another one with it.
    ///
    /// None may, before the next request: an answer cannot come before it, so that such bytes are the surplus of the last
    /// response, and would be taken for the next one. Before 8.0, libcurl checks only whether the connection has ended.
    func haveSurplus(localPort: Int32) -> Bool {
        table.withLock { table in
            table.descriptors(localPort: localPort).contains { descriptor in
                var byte: UInt8 = 0
                return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
            }
        }
    }

    /// Ends the connection of the socket with that local port, if there is just one. Does nothing where libcurl has
    /// closed it.
    func endConnection(localPort: Int32) {
        table.withLock { table in
            guard let descriptor = table.descriptor(localPort: localPort) else { return }
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }

    private static func localPort(_ descriptor: Int32) -> Int32? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                guard getsockname(descriptor, generic, &length) == 0 else { return nil }
                // The port is at the same offset for both kinds of addresses.
                return UnsafeRawPointer(generic).withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                    Int32(in_port_t(bigEndian: address.pointee.sin_port))
                }
            }
        }
    }

    /// Returns the bytes read from a socket so far; `nil` if the kernel does not report them.
    private static func bytesRead(_ descriptor: Int32) -> UInt64? {
        var count: UInt64 = 0
        return halcyon_socket_bytes_read(descriptor, &count) ? count : nil
    }
}
