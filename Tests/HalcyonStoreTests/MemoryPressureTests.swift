import FoundationEssentials
import Glibc
import HalcyonConcurrency
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

    private func events(high: Int, max: Int) -> String { "low 0\nhigh \(high)\nmax \(max)\noom 0\noom_kill 0\n" }

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
        try write(events(high: 6, max: 8), to: path)
        #expect(await iterator.next() == .critical)
        withExtendedLifetime(subscription) {}
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
        #expect(MemoryEvents("high 1").pressure(since: MemoryEvents("high 2")) == nil)
        let largest = "max \(Int.max)\noom \(Int.max)"
        #expect(MemoryEvents(largest).pressure(since: MemoryEvents(largest)) == nil)
    }
}
