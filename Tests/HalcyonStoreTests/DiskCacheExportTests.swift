import FoundationEssentials
import HalcyonStore
import HalcyonTesting
import Testing

@Suite("Cache folders that come from elsewhere")
struct DiskCacheExportTests {
    private func filled() throws -> (DiskCacheFixture, export: String) {
        let fixture = try DiskCacheFixture()
        for (number, key) in ["a", "../b", "c\0d", "", "é", "e\u{301}"].enumerated() {
            let size = number % 2 == 0 ? 100 : 20_000
            try fixture.cache.store(bytes(size, seed: number), for: key, metadata: Data(key.utf8))
            fixture.clock.advance(by: 1)
        }
        try fixture.cache.store(Data(), for: "never", expiration: .never)
        try fixture.cache.store(Data([1]), for: "over", expiration: .seconds(1))
        fixture.clock.advance(by: 1)
        return (fixture, fixture.folder.path + "/export")
    }

    @Test("an export has everything that is valid, and an import has it back")
    func roundTrip() throws {
        let (one, export) = try filled()
        #expect(try one.cache.exportEntries(to: export) == 7)
        let two = try DiskCacheFixture(in: TemporaryFolder(), clock: one.clock)
        #expect(try two.cache.importEntries(from: export) == 7)
        for entry in try two.cache.entries() {
            let (left, right) = (
                one.cache.entry(for: entry.key, extending: .none), two.cache.entry(for: entry.key, extending: .none)
            )
            #expect(left?.body == right?.body && left?.metadata == right?.metadata)
            #expect(left?.expiresAt == right?.expiresAt)
        }
        #expect(try two.cache.entries(prefix: "over").isEmpty)
        #expect(try two.cache.verify().isSound)
    }

    @Test("a part is exported by prefix, and never over something")
    func part() throws {
        let (one, export) = try filled()
        #expect(try one.cache.exportEntries(to: export, prefix: "../") == 1)
        #expect(throws: DiskCacheError.self) { try one.cache.exportEntries(to: export) }
    }

    @Test(
        "hostile exports are refused",
        arguments: [
            ("\"number\":1,", "\"number\":2,"), ("\"number\":1,", "\"number\":\"../../etc/passwd\","),
            ("\"size\":0", "\"size\":-1"), ("\"size\":0", "\"size\":1"), ("\"checksum\":", "\"checksum\":1"),
            ("halcyon", "another"), ("{\"", "[\""),
        ]
    )
    func hostile(what: String, with replacement: String) throws {
        let one = try DiskCacheFixture()
        try one.cache.store(Data(), for: "never", expiration: .never)
        let export = one.folder.path + "/export"
        try one.cache.exportEntries(to: export)
        let path = export + "/manifest.jsonl"
        var text = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        // The members of a record come in any order.
        if what == "\"number\":1,", !text.contains(what) {
            text = text.replacing("\"number\":1}", with: replacement.dropLast() + "}")
        }
        text = text.replacing(what, with: replacement)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let two = try DiskCacheFixture()
        #expect(throws: DiskCacheError.self) { try two.cache.importEntries(from: export) }
        #expect(try two.cache.statistics().count == 0)
    }

    @Test("a manifest of more than one piece is read, with a last line that does not end, and one without end is not")
    func longManifest() throws {
        let one = try DiskCacheFixture()
        for number in 0..<40 {
            try one.cache.store(bytes(1), for: "\(number)", metadata: bytes(9_000, seed: number))
        }
        let export = one.folder.path + "/export"
        try one.cache.exportEntries(to: export)
        let path = export + "/manifest.jsonl"
        var text = try Data(contentsOf: URL(filePath: path))
        try text.dropLast().write(to: URL(filePath: path))
        let two = try DiskCacheFixture(in: TemporaryFolder(), clock: one.clock)
        #expect(try two.cache.importEntries(from: export) == 40)
        #expect(two.cache.entry(for: "39")?.metadata == bytes(9_000, seed: 39))
        text.append(Data(repeating: 0x20, count: 17 << 20))
        try text.write(to: URL(filePath: path))
        #expect(throws: DiskCacheError.self) { try two.cache.importEntries(from: export) }
    }

    @Test("a link in an export is not followed")
    func link() throws {
        let one = try DiskCacheFixture()
        try one.cache.store(bytes(10), for: "a")
        let export = one.folder.path + "/export"
        try one.cache.exportEntries(to: export)
        let body = export + "/0000000001.body"
        try FileManager.default.moveItem(atPath: body, toPath: one.folder.path + "/elsewhere")
        try FileManager.default.createSymbolicLink(atPath: body, withDestinationPath: one.folder.path + "/elsewhere")
        let two = try DiskCacheFixture()
        #expect(throws: DiskCacheError.self) { try two.cache.importEntries(from: export) }
    }

    @Test("a cache that is only read changes nothing, and says so when asked to", arguments: [true, false])
    func readOnly(isClosed: Bool) throws {
        let one = try DiskCacheFixture()
        try one.cache.store(bytes(10), for: "small")
        try one.cache.store(bytes(20_000), for: "large")
        if isClosed { try one.cache.close() }
        let files = one.folder.files.sorted()
        let two = try DiskCacheFixture(in: one.folder, clock: one.clock) { $0.isReadOnly = true }
        #expect(two.cache.entry(for: "small")?.body == bytes(10))
        #expect(two.cache.entry(for: "large")?.body == bytes(20_000))
        #expect(two.cache.entry(for: "absent") == nil)
        #expect(two.cache.contains("small"))
        #expect(try two.cache.entries().count == 2)
        for durability in DiskCache.Durability.allCases {
            #expect(throws: DiskCacheError.self) { try two.cache.store(bytes(1), for: "a", durability: durability) }
        }
        #expect(throws: DiskCacheError.self) { try two.cache.writer(for: "a").append(bytes(1)) }
        #expect(throws: DiskCacheError.self) { try two.cache.updateMetadata(Data(), for: "small") }
        #expect(throws: DiskCacheError.self) { try two.cache.remove(for: "small") }
        #expect(throws: DiskCacheError.self) { try two.cache.removeAll() }
        #expect(throws: DiskCacheError.self) { try two.cache.removeExpired() }
        #expect(throws: DiskCacheError.self) { try two.cache.trim(to: 0) }
        try two.cache.close()
        #expect(one.folder.files.sorted() == files)
    }

    @Test("a folder that is only to be read and is not there is a miss, and is not made")
    func absent() throws {
        let folder = try TemporaryFolder()
        let fixture = try DiskCacheFixture(in: folder) { $0.isReadOnly = true }
        #expect(fixture.cache.entry(for: "a") == nil)
        #expect(folder.files.isEmpty)
    }

    @Test("a cache that is only read finds what another process has written since", arguments: [false, true])
    func writtenSince(isClosed: Bool) throws {
        let one = try DiskCacheFixture()
        try one.cache.store(bytes(20_000), for: "large")
        try one.cache.store(bytes(10), for: "small")
        try one.cache.close()
        let two = try DiskCacheFixture(in: one.folder, clock: one.clock) { $0.isReadOnly = true }
        for key in ["large", "small"] { #expect(two.cache.entry(for: key) != nil) }
        let three = try DiskCacheFixture(in: one.folder, clock: one.clock)
        try three.cache.remove(for: "large")
        try three.cache.store(bytes(11), for: "small")
        for number in 0..<50 { try three.cache.store(bytes(9_000, seed: number), for: "new \(number)") }
        if isClosed { try three.cache.close() }
        // A look-up makes sure once in 50 ms.
        one.clock.advance(by: 0.051)
        #expect(two.cache.entry(for: "large") == nil)
        #expect(two.cache.entry(for: "small")?.body == bytes(11))
        #expect(two.cache.entry(for: "new 49")?.body == bytes(9_000, seed: 49))
        #expect(two.log.events.isEmpty)
    }

    @Test("an import leaves out what is longer than any image, and takes no memory for it")
    func hugeBody() throws {
        let one = try DiskCacheFixture()
        try one.cache.store(Data([1]), for: "a", expiration: .never)
        let export = one.folder.path + "/export"
        try one.cache.exportEntries(to: export)
        let path = export + "/manifest.jsonl"
        let text = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        try Data(text.replacing("\"size\":1", with: "\"size\":1099511627776").utf8).write(to: URL(filePath: path))
        // A file of holes.
        let descriptor = try POSIXFileSystem().openForAppending(export + "/0000000001.body")
        try POSIXFileSystem().truncate(descriptor, to: 1 << 40)
        POSIXFileSystem().close(descriptor)
        let two = try DiskCacheFixture { $0.sizeLimit = 1 << 50 }
        #expect(try two.cache.importEntries(from: export) == 0)
    }

    @Test("an import leaves out what has a key of more than 64 KiB")
    func longKey() throws {
        let one = try DiskCacheFixture()
        for count in [65_536, 65_537] {
            try one.cache.store(bytes(10), for: String(repeating: "k", count: count))
        }
        let export = one.folder.path + "/export"
        #expect(try one.cache.exportEntries(to: export) == 2)
        let two = try DiskCacheFixture(in: TemporaryFolder(), clock: one.clock)
        #expect(try two.cache.importEntries(from: export) == 1)
        #expect(try two.cache.entries().map(\.key.utf8.count) == [65_536])
    }
}
