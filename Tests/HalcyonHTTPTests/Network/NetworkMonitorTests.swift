import FoundationEssentials
import Glibc
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

@Suite("The monitor of this machine's network")
struct NetworkMonitorTests {
    @Test("listens to the kernel only while somebody listens to it, and then holds no descriptor")
    func lifetime() async throws {
        let monitor = NetworkMonitor(isMetered: true)
        #expect(!monitor.isListening)
        var first: AsyncStream<NetworkStatus>? = monitor.statusUpdates
        var second: AsyncStream<NetworkStatus>? = monitor.statusUpdates
        #expect(monitor.isListening)
        var updates = try #require(first).makeAsyncIterator()
        #expect(await updates.next()?.isMetered == true)
        first = nil
        #expect(monitor.isListening)
        _ = second
        second = nil
        updates = AsyncStream { $0.finish() }.makeAsyncIterator()
        while monitor.isListening { await Task.yield() }
        while Self.listeningDescriptorCount > 0 { await Task.yield() }
    }

    @Test("tells the present state first, then what the program says of metering, once each")
    func metered() async {
        let monitor = NetworkMonitor(isMetered: false, isConnected: { true }, makeListener: { _ in nil })
        var updates = monitor.statusUpdates.makeAsyncIterator()
        #expect(await updates.next() == NetworkStatus(isConnected: true, isMetered: false))
        monitor.isMetered = true
        monitor.isMetered = true
        #expect(await updates.next() == NetworkStatus(isConnected: true, isMetered: true))
        monitor.isMetered = false
        #expect(await updates.next() == NetworkStatus(isConnected: true, isMetered: false))
    }

    @Test("looks at interfaces and routes again when the kernel says that they changed")
    func change() async throws {
        let world = NetworkNamespace()
        // Making a namespace takes rights that not every machine gives; what follows the message is tested in any case.
        let isConnected = Lock(false)
        let monitor = NetworkMonitor(
            isMetered: false,
            isConnected: { isConnected.withLock { $0 } },
            makeListener: { onChange in world.run { NetlinkListener(onChange: onChange) } ?? nil }
        )
        var updates = monitor.statusUpdates.makeAsyncIterator()
        #expect(await updates.next()?.isConnected == false)
        isConnected.withLock { $0 = true }
        if !world.raiseLoopback() { monitor.isMetered = true }
        #expect(await updates.next()?.isConnected == true)
    }

    @Test("may be asked by what it looks at, and by what tells it of changes")
    func questions() async {
        let monitor = Lock<NetworkMonitor?>(nil)
        let isMetered: @Sendable () -> Bool? = { monitor.withLock { $0 }?.isMetered }
        let asked = NetworkMonitor(
            isMetered: true,
            isConnected: { isMetered() == true },
            makeListener: { onChange in
                onChange()
                return isMetered() == true ? NetlinkListener(onChange: onChange) : nil
            }
        )
        monitor.withLock { $0 = asked }
        defer { monitor.withLock { $0 = nil } }
        var updates = asked.statusUpdates.makeAsyncIterator()
        #expect(await updates.next() == NetworkStatus(isConnected: true, isMetered: true))
        #expect(asked.isListening)
    }

    @Test("may be asked by a listener that goes on at once, on the thread that tells it")
    func immediateListener() async {
        let monitor = NetworkMonitor(isMetered: false, isConnected: { true }, makeListener: { _ in nil })
        let seen = Lock<[NetworkStatus]>([])
        // Runs until it waits for the second state, then goes on inside the change.
        let listener = Task(executorPreference: ImmediateExecutor()) {
            for await status in monitor.statusUpdates {
                #expect(monitor.status == status)
                seen.withLock { $0.append(status) }
                if status.isMetered { break }
            }
        }
        monitor.isMetered = true
        await listener.value
        #expect(seen.withLock { $0 }.map(\.isMetered) == [false, true])
    }

    @Test("tells every listener the last state last, however many changes come at the same time")
    func lastState() async {
        let isConnected = Lock(false)
        let monitor = NetworkMonitor(
            isMetered: false,
            isConnected: { isConnected.withLock { $0 } },
            makeListener: { _ in nil }
        )
        let listeners = (0..<3).map { _ in monitor.statusUpdates }
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<4 {
                group.addTask {
                    for number in 0..<500 {
                        isConnected.withLock { $0 = (number + part) % 2 == 0 }
                        monitor.isMetered = number % 2 == 0
                    }
                }
            }
        }
        isConnected.withLock { $0 = true }
        monitor.isMetered = true
        for updates in listeners {
            var iterator = updates.makeAsyncIterator()
            #expect(await iterator.next() == NetworkStatus(isConnected: true, isMetered: true))
        }
    }

    @Test("sees this machine's state within one look")
    func status() {
        let monitor = NetworkMonitor()
        #expect(monitor.status.isConnected == NetworkInterfaces.areConnected)
        #expect(!monitor.status.isMetered)
    }

    @Test(
        "knows which requests need no network",
        arguments: [
            ("http://localhost/", true), ("http://LOCALHOST:81/", true), ("https://a.b.localhost/", true),
            ("http://127.0.0.1:8080/x", true), ("http://127.255.0.9/", true), ("http://[::1]:80/", true),
            ("http://127.0.0.1.example/", false), ("http://127.example/", false), ("http://localhost.example/", false),
            ("http://10.0.0.1/", false), ("http://[::2]/", false), ("http://192.168.127.1/", false),
        ]
    )
    func loopback(text: String, isLoopback: Bool) throws {
        let url = try #require(URL(string: text))
        #expect(TransferRequest(url: url).isForThisMachine == isLoopback)
    }

    /// Sockets of this process that listen to groups of netlink; those of name look-ups do not.
    private static var listeningDescriptorCount: Int {
        (0..<1_024).count { descriptor in
            var address: (family: UInt16, padding: UInt16, port: UInt32, groups: UInt32) = (0, 0, 0, 0)
            var length = socklen_t(MemoryLayout.size(ofValue: address))
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getsockname(Int32(descriptor), $0, &length)
                }
            }
            return result == 0 && address.family == UInt16(AF_NETLINK) && address.groups != 0
        }
    }
}

/// Runs what is ready at once, inside the call that made it ready.
private final class ImmediateExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}

/// A thread with a network of its own, where the system allows it. Sockets made there stay there.
private final class NetworkNamespace: Sendable {
    private let hasNetwork = Lock(false)

    /// Runs on a new thread that has a new network.
    func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result? {
        let result = Lock<Result?>(nil)
        let done = Lock<Int32>(-1)
        let thread = Thread {
            let isOwn = SystemCalls.leaveNetwork()
            self.hasNetwork.withLock { $0 = isOwn }
            result.withLock { $0 = body() }
            // A socket of this network, to change it with later.
            done.withLock {
                $0 = isOwn ? socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0) : -1
            }
        }
        thread.join()
        control.withLock { $0 = done.withLock { $0 } }
        return result.withLock { $0 }
    }

    private let control = Lock<Int32>(-1)

    deinit {
        let descriptor = control.withLock { $0 }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Brings up the loopback interface of the own network, which the kernel tells everyone who listens there.
    func raiseLoopback() -> Bool {
        let descriptor = control.withLock { $0 }
        guard descriptor >= 0 else { return false }
        // struct ifreq of <net/if.h>: the name in 16 bytes, then the flags.
        var request = [UInt8](repeating: 0, count: 40)
        request.replaceSubrange(0..<2, with: Array("lo".utf8))
        request[16] = UInt8(IFF_UP)
        return request.withUnsafeMutableBytes { SystemCalls.setFlags(descriptor, $0.baseAddress) }
    }
}

/// Calls that Swift does not import: one needs `_GNU_SOURCE`, the other is variadic.
private enum SystemCalls {
    /// Gives the calling thread a network of its own (unshare(2), `CLONE_NEWNET`); `false` without the right to.
    static func leaveNetwork() -> Bool {
        guard let symbol = dlsym(nil, "unshare") else { return false }
        return unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)(0x4000_0000) == 0
    }

    /// Sets the flags of an interface (netdevice(7), `SIOCSIFFLAGS`).
    static func setFlags(_ descriptor: Int32, _ request: UnsafeMutableRawPointer?) -> Bool {
        guard let symbol = dlsym(nil, "ioctl") else { return false }
        typealias Call = @convention(c) (Int32, UInt, UnsafeMutableRawPointer?) -> Int32
        return unsafeBitCast(symbol, to: Call.self)(descriptor, UInt(SIOCSIFFLAGS), request) == 0
    }
}

/// A thread of the system, to be waited for.
private struct Thread {
    private var id = pthread_t()

    init(_ body: @escaping @Sendable () -> Void) {
        final class Box { let body: () -> Void; init(_ body: @escaping () -> Void) { self.body = body } }
        let box = Unmanaged.passRetained(Box(body))
        pthread_create(
            &id,
            nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            },
            box.toOpaque()
        )
    }

    func join() { pthread_join(id, nil) }
}
