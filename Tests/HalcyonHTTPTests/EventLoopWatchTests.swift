import Glibc
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

@Suite("the watch over an event loop")
struct EventLoopWatchTests {
    @Test("ends a connection that is read without end inside one call, and no other")
    func flood() throws {
        let server = try OriginServer { _ in
            .init(steps: [.endless([UInt8](repeating: 0, count: 16_384))])
        }
        defer { server.stop() }
        let flooded = try TestSocket(port: server.port)
        let quiet = try TestSocket(port: server.port)
        let sockets = OpenSockets()
        sockets.insert(flooded.descriptor)
        sockets.insert(quiet.descriptor)
        let watch = EventLoopWatch(sockets)
        watch.start()
        defer { watch.stop() }
        // What libcurl does to close a connection: it reads as long as there is something to read.
        watch.beginWork()
        flooded.send("GET / HTTP/1.1\r\n\r\n")
        while flooded.receive() {}
        watch.endWork()
        quiet.send("GET / HTTP/1.1\r\n\r\n")
        #expect(quiet.receive())
    }

    @Test("wakes up for work that comes after a long time without any")
    func doze() throws {
        let server = try OriginServer { _ in
            .init(steps: [.endless([UInt8](repeating: 0, count: 16_384))])
        }
        defer { server.stop() }
        let sockets = OpenSockets()
        let watch = EventLoopWatch(sockets)
        watch.start()
        defer { watch.stop() }
        while !watch.isIdle { sched_yield() }
        let flooded = try TestSocket(port: server.port)
        sockets.insert(flooded.descriptor)
        watch.beginWork()
        flooded.send("GET / HTTP/1.1\r\n\r\n")
        while flooded.receive() {}
        watch.endWork()
    }

    /// A client's socket, which is closed with it.
    private final class TestSocket {
        struct Failure: Error {}

        let descriptor: Int32

        init(port: Int) throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            let code = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard code == 0 else {
                close(descriptor)
                throw Failure()
            }
        }

        deinit {
            close(descriptor)
        }

        func send(_ text: String) {
            _ = Array(text.utf8).withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, 0) }
        }

        /// False at the end of the connection.
        func receive() -> Bool {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            return recv(descriptor, &buffer, buffer.count, 0) > 0
        }
    }
}
