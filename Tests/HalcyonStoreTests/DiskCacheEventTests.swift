import FoundationEssentials
import HalcyonStore
import HalcyonSystem
import HalcyonTesting
import Testing

@Suite("Events of the disk cache")
struct DiskCacheEventTests {
    @Test("who is told of one in the middle of a body may ask its writer", .timeLimit(.minutes(5)))
    func writer() throws {
        let (writer, sizes) = (Lock<DiskCache.Writer?>(nil), Lock<[Int]>([]))
        let fixture = try DiskCacheFixture {
            $0.onEvent = { _ in
                if let size = writer.withLock({ $0 })?.size { sizes.withLock { $0.append(size) } }
            }
        }
        try fixture.cache.open()
        let started = fixture.cache.writer(for: "a")
        writer.withLock { $0 = started }
        try started.append(bytes(100))
        try FileManager.default.removeItem(atPath: fixture.folder.path)
        try started.append(bytes(50_000))
        #expect(sizes.withLock { $0 } == [100])
        #expect(try started.commit())
        #expect(fixture.cache.entry(for: "a")?.body.count == 50_100)
        writer.withLock { $0 = nil }
    }
}
