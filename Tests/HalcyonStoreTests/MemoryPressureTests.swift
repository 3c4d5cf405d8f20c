import FoundationEssentials
import Glibc
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonStore

@Suite("Memory pressure")
struct MemoryPressureTests {
    private func write(_ text: String, to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        // In one call and without cutting the file first, as the kernel changes it.
        #expect(Glibc.write(file, text, text.utf8.count) == text.utf8.count)
    }

    private func events(high: Int = 0, max: Int = 0, killed: Int = 0) -> String {
        "low 0\nhigh \(high)\nmax \(max)\noom 0\noom_kill \(killed)\n"
    }

    @Test("a control group that reaches its limits is told of, and what it counted before is not")
    func events() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/memory.events"
        try write(events(high: 5, max: 7), to: path)
        let monitor = MemoryPressureMonitor(sources: .init(stallFiles: [], eventsFile: path))
        let (stream, continuation) = AsyncStream.makeStream(of: MemoryPressure.self)
        let subscription = monitor.addHandler { continuation.yield($0) }
        #expect(monitor.isWatching)
        var iterator = stream.makeAsyncIterator()
        try write(events(high: 6, max: 7), to: path)
        #expect(await iterator.next() == .warning)
        try write(events(high: 6, max: 8, killed: 1), to: path)
        #expect(await iterator.next() == .critical)
        withExtendedLifetime(subscription) {}
    }

    @Test(
        "a control group at its hard limit is no pressure unless its processes wait for memory",
        arguments: [true, false]
    )
    func fullOfFiles(isWaiting: Bool) async throws {
        let folder = try TemporaryFolder()
        let (path, stall) = (folder.path + "/memory.events", folder.path + "/memory.pressure")
        try write(events(), to: path)
        try write("", to: stall)
        let monitor = MemoryPressureMonitor(sources: .init(stallFiles: [stall], eventsFile: path))
        let (stream, continuation) = AsyncStream.makeStream(of: MemoryPressure.self)
        let subscription = monitor.addHandler { continuation.yield($0) }
        // What is read there is something else than what was written.
        try write("some avg10=\(isWaiting ? 12 : 1).00 avg60=0.00 avg300=0.00 total=1\n", to: stall)
        var iterator = stream.makeAsyncIterator()
        try write(events(max: 1_000), to: path)
        if isWaiting { #expect(await iterator.next() == .warning) }
        try write(events(max: 1_000, killed: 1), to: path)
        #expect(await iterator.next() == .critical)
        withExtendedLifetime(subscription) {}
    }

    @Test("pressure that lasts is told once a second, and what is worse at once")
    func rate() {
        let second: Int64 = 1_000_000_000
        var rate = MemoryPressureRate()
        #expect(rate.admit(nil, at: 0) == nil && rate.delay(at: 0) == nil)
        #expect(rate.admit(.warning, at: 0) == .warning)
        #expect(rate.delay(at: 1) == nil)
        #expect(rate.admit(.warning, at: second / 2) == nil)
        #expect(rate.delay(at: second / 2) == second / 2)
        #expect(rate.admit(nil, at: second) == .warning)
        #expect(rate.admit(.critical, at: second + 1) == .critical)
        #expect(rate.admit(.critical, at: second + 2) == nil)
        #expect(rate.admit(.warning, at: second + 3) == nil)
        #expect(rate.delay(at: second + 3) == second - 2)
        #expect(rate.admit(nil, at: 2 * second) == nil)
        #expect(rate.admit(nil, at: 2 * second + 1) == .critical)
        #expect(rate.admit(nil, at: 4 * second) == nil)
    }

    @Test("a trigger is written as the kernel wants it")
    func trigger() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/memory.pressure"
        try write("", to: path)
        let monitor = MemoryPressureMonitor(sources: .init(stallFiles: [path], eventsFile: nil))
        let subscription = monitor.addHandler { _ in }
        #expect(monitor.isWatching)
        // Both are written at the beginning of a common file, so what stands there is the second.
        #expect(FileManager.default.contents(atPath: path) == Data("full 100000 1000000\0".utf8))
        withExtendedLifetime(subscription) {}
    }

    @Test("nobody watches where nobody listens, or where the system tells nothing")
    func unused() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/memory.events"
        try write(events(high: 0, max: 0), to: path)
        let monitor = MemoryPressureMonitor(sources: .init(stallFiles: [], eventsFile: path))
        #expect(!monitor.isWatching)
        var one: MemoryPressureMonitor.Subscription? = monitor.addHandler { _ in }
        var two: MemoryPressureMonitor.Subscription? = monitor.addHandler { _ in }
        withExtendedLifetime((one, two)) {}
        one = nil
        #expect(monitor.isWatching)
        two = nil
        #expect(!monitor.isWatching)
        let blind = MemoryPressureMonitor(sources: .init(stallFiles: ["/nowhere"], eventsFile: "/nowhere"))
        let subscription = blind.addHandler { _ in }
        #expect(!blind.isWatching)
        withExtendedLifetime(subscription) {}
    }

    @Test("the files are those of the process's control group, or of the container, or of the machine")
    func files() {
        let own = MemoryPressureSources { path in
            ["/proc/self/cgroup": "1:name=x:/\n0::/user/app\n", "/sys/fs/cgroup/user/app/memory.events": ""][path]
        }
        #expect(own.stallFiles == ["/sys/fs/cgroup/user/app/memory.pressure", "/proc/pressure/memory"])
        #expect(own.eventsFile == "/sys/fs/cgroup/user/app/memory.events")
        let container = MemoryPressureSources { path in
            ["/proc/self/cgroup": "0::/../x\n", "/sys/fs/cgroup/memory.events": ""][path]
        }
        #expect(container.stallFiles == ["/sys/fs/cgroup/memory.pressure", "/proc/pressure/memory"])
        let bare = MemoryPressureSources { _ in nil }
        #expect(bare.stallFiles == ["/proc/pressure/memory"])
        #expect(bare.eventsFile == nil)
    }

    @Test("nonsense in the counts is no pressure")
    func nonsense() {
        #expect(MemoryEvents("high x\nmax\n\nhigh -4\noom 1 2") == MemoryEvents())
        #expect(MemoryEvents("high 1").pressure(since: MemoryEvents("high 2"), nil) == nil)
        let largest = "max \(Int.max)\noom \(Int.max)"
        #expect(MemoryEvents(largest).pressure(since: MemoryEvents(largest), nil) == nil)
        #expect(MemoryEvents("max 2").pressure(since: MemoryEvents("max 1"), nil) == nil)
        for text in ["", "some", "some avg10=x", "full avg10=99.00 avg60=0.00 avg300=0.00 total=1"] {
            #expect(MemoryStall(text) == nil)
        }
        #expect(MemoryStall("full avg10=1.00\nsome avg10=7.25 avg60=0.00 avg300=0.00 total=1")?.some == 7.25)
    }
}

extension MemoryPressureMonitor {
    /// Whether the system is being watched.
    fileprivate var isWatching: Bool { state.withLock { $0.watch != nil } }
}
