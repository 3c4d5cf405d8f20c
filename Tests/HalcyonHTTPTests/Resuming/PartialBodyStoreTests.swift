import FoundationEssentials
import Glibc
import HTTPTypes
import HalcyonStore
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

@Suite("a store of partial bodies")
struct PartialBodyStoreTests {
    private static let body = ResumeFixture.body
    private static let half = body.count / 2
    /// Written with few calls, each of which fails once.
    private static let short = Array(body.prefix(20_000))

    /// Changes the bytes of the one file with that ending.
    private func change(_ fixture: ResumeFixture, _ ending: String, _ body: (inout Data) -> Void) throws {
        let name = try #require(fixture.partialFiles.first { $0.hasSuffix(ending) })
        let url = URL(fileURLWithPath: fixture.folder.path + "/" + name)
        var data = try Data(contentsOf: url)
        body(&data)
        try data.write(to: url)
    }

    @Test(
        "takes what is damaged for absent: bits flipped anywhere, files cut short or emptied, other files",
        arguments: [".body", ".journal"]
    )
    func damage(ending: String) async throws {
        let damages: [@Sendable (inout Data) -> Void] = [
            { $0[$0.count / 2] ^= 1 }, { $0[0] ^= 0x80 }, { $0[$0.count - 1] ^= 1 }, { $0.removeLast($0.count / 2) },
            { $0 = Data() }, { $0 = Data(repeating: 0, count: $0.count) },
        ]
        for (number, damage) in damages.enumerated() {
            let fixture = try ResumeFixture([ResumeFixture.cut(Self.half), ResumeFixture.ranged()])
            await fixture.interrupt()
            try change(fixture, ending, damage)
            #expect(try await firstDifference(fixture.load().data, Self.body) == nil, "\(number)")
            #expect(fixture.ranges == [nil, nil], "\(number)")
            #expect(fixture.partialFiles.isEmpty && fixture.folder.openFiles().isEmpty, "\(number)")
        }
    }

    @Test("uses what stands before a torn end, which is how a killed process leaves it")
    func tornEnd() async throws {
        let fixture = try ResumeFixture([ResumeFixture.cut(600_000), ResumeFixture.ranged()])
        await fixture.interrupt()
        // Checkpoints stand at 262,144, 524,288 and 600,000.
        try change(fixture, ".journal") { $0.removeLast(7) }
        try change(fixture, ".body") { $0.append(contentsOf: [1, 2, 3]) }
        #expect(try await firstDifference(fixture.load().data, Self.body) == nil)
        #expect(fixture.ranges == [nil, "bytes=524288-"])
        #expect(fixture.partialFiles.isEmpty)
    }

    @Test("lets a body of another request be, even if both have one hash")
    func otherRequest() async throws {
        let fixture = try ResumeFixture([ResumeFixture.cut(Self.half), ResumeFixture.ranged()])
        await fixture.interrupt()
        let body = try await fixture.load { $0.headers[.accept] = "image/avif" }
        #expect(firstDifference(body.data, Self.body) == nil)
        #expect(fixture.ranges == [nil, nil])
        #expect(fixture.partialFiles.count == 2)
    }

    @Test("keeps the limits: entries, bytes and age")
    func limits() throws {
        let fixture = try ResumeFixture([ResumeFixture.ranged()])
        func keep(_ number: Int, bytes count: Int, in store: PartialBodyStore) throws {
            let key = try #require(PartialBodyKey(TransferRequest(url: fixture.server.url("/\(number)"))))
            let response = PartialResponse(url: key.original, headers: [:], validator: "\"a\"", totalBytes: 5_000)
            let body = try #require(store.begin(key, response, since: store.removalCount))
            try pattern(count).withUnsafeBytes { try body.append($0) }
            body.close(keepsBytes: true)
        }
        let few = fixture.store { $0.maximumEntries = 3 }
        for number in 0..<5 { try keep(number, bytes: 1_000, in: few) }
        #expect(few.usage() == (3, 3_000))
        // 5,000 bytes are reserved for the one that begins.
        let small = fixture.store { $0.maximumBytes = 6_500 }
        try keep(7, bytes: 1_000, in: small)
        #expect(small.usage() == (2, 2_000))
        let later = fixture.store { configuration in
            configuration.clock = StoreClock(monotonic: { 0 }, now: { Date() + 8 * 86_400 })
        }
        try keep(8, bytes: 10, in: later)
        #expect(later.usage() == (1, 10))
        later.removeAll()
        #expect(fixture.partialFiles.isEmpty && fixture.folder.openFiles().isEmpty)
    }

    @Test("forgets a body that is too old")
    func expiry() async throws {
        let fixture = try ResumeFixture([ResumeFixture.cut(Self.half), ResumeFixture.ranged()])
        await fixture.interrupt()
        let later = fixture.store { configuration in
            configuration.lifetime = 60
            configuration.clock = StoreClock(monotonic: { 0 }, now: { Date() + 61 })
        }
        #expect(try await firstDifference(fixture.load(store: later).data, Self.body) == nil)
        #expect(fixture.ranges == [nil, nil])
        #expect(fixture.partialFiles.isEmpty)
    }

    @Test("never removes what is in use, and a longer body than it may hold goes on without it")
    func inUse() throws {
        let fixture = try ResumeFixture([ResumeFixture.ranged()])
        let store = fixture.store { $0.maximumBytes = 1_000 }
        let key = try #require(PartialBodyKey(TransferRequest(url: fixture.server.url())))
        let response = PartialResponse(url: key.original, headers: [:], validator: "\"a\"", totalBytes: nil)
        let body = try #require(store.begin(key, response, since: store.removalCount))
        try pattern(1_000).withUnsafeBytes { try body.append($0) }
        store.removeAll()
        #expect(fixture.partialFiles.count == 2)
        #expect(store.take(key) == nil && store.begin(key, response, since: store.removalCount) == nil)
        try pattern(1, seed: 1).withUnsafeBytes { try body.append($0) }
        #expect(fixture.partialFiles.isEmpty)
        #expect(try firstDifference(body.finish(), Data(pattern(1_000) + pattern(1, seed: 1))) == nil)
        body.close(keepsBytes: true)
        #expect(fixture.folder.openFiles().isEmpty)
    }

    @Test("keeps the body that took the place of one that was removed while in use")
    func successor() throws {
        let fixture = try ResumeFixture([ResumeFixture.ranged()])
        let store = fixture.store()
        let key = try #require(PartialBodyKey(TransferRequest(url: fixture.server.url())))
        let response = PartialResponse(url: key.original, headers: [:], validator: "\"a\"", totalBytes: nil)
        let first = try #require(store.begin(key, response, since: store.removalCount))
        store.removeAll { $0 == key.original }
        let second = try #require(store.begin(key, response, since: store.removalCount))
        try pattern(1_000).withUnsafeBytes { try second.append($0) }
        first.close(keepsBytes: false)
        second.close(keepsBytes: true)
        let kept = try #require(store.take(key))
        #expect(kept.count == 1_000)
        kept.close(keepsBytes: false)
        #expect(fixture.folder.openFiles().isEmpty)
    }

    @Test(
        "removes the bodies of some originals, also those in use, and keeps nothing of transfers that had begun before"
    )
    func removingOriginals() throws {
        let fixture = try ResumeFixture([ResumeFixture.ranged()])
        let store = fixture.store()
        let keys = try ["/a", "/b"].map { try #require(PartialBodyKey(TransferRequest(url: fixture.server.url($0)))) }
        let response = PartialResponse(url: keys[0].original, headers: [:], validator: "\"a\"", totalBytes: nil)
        let earlier = store.removalCount
        for isInUse in [false, true] {
            let bodies = try keys.map { try #require(store.begin($0, response, since: store.removalCount)) }
            for body in bodies { try pattern(1_000).withUnsafeBytes { try body.append($0) } }
            if !isInUse { for body in bodies { body.close(keepsBytes: true) } }
            store.removeAll { $0 == keys[0].original }
            for body in bodies { body.close(keepsBytes: true) }
            #expect(store.take(keys[0]) == nil)
            store.take(keys[1])?.close(keepsBytes: false)
            #expect(fixture.partialFiles.isEmpty)
        }
        #expect(store.begin(keys[1], response, since: earlier) == nil)
        #expect(fixture.partialFiles.isEmpty && fixture.folder.openFiles().isEmpty)
    }

    @Test("removes a body whose journal is gone, and a folder that vanishes costs nothing but what it held")
    func vanished() async throws {
        let fixture = try ResumeFixture([
            ResumeFixture.cut(Self.half), ResumeFixture.cut(Self.half), ResumeFixture.ranged(),
        ])
        await fixture.interrupt()
        let journal = try #require(fixture.partialFiles.first { $0.hasSuffix(".journal") })
        try FileManager.default.removeItem(atPath: fixture.folder.path + "/" + journal)
        fixture.store().removeAll()
        #expect(fixture.partialFiles.isEmpty)
        await fixture.interrupt()
        try FileManager.default.removeItem(atPath: fixture.folder.path + "/partial")
        #expect(try await firstDifference(fixture.load().data, Self.body) == nil)
        #expect(fixture.ranges == [nil, nil, nil])
    }

    @Test("that cannot write keeps nothing, and the body comes all the same")
    func readOnly() async throws {
        let fixture = try ResumeFixture([ResumeFixture.ranged()])
        let refused = FileSystemError(code: Int(EROFS))
        let fileSystem = FaultInjectingFileSystem(.errorFromNowOn(refused), atCall: 1, of: [.create, .createFolder])
        let body = try await fixture.load(store: fixture.store { $0.fileSystem = fileSystem })
        #expect(firstDifference(body.data, Self.body) == nil)
        #expect(fixture.folder.files.isEmpty && fixture.folder.openFiles().isEmpty)
    }

    @Test(
        "never gives a wrong body, at whatever call the process dies while it keeps one",
        arguments: [1_000, 4 << 20]
    )
    func crashWhileKeeping(threshold: Int) async throws {
        for number in 1...60 {
            let fixture = try ResumeFixture([
                ResumeFixture.cut(10_000, of: Self.short), ResumeFixture.ranged(Self.short),
            ])
            let dying = FaultInjectingFileSystem(.crash, atCall: number)
            await fixture.interrupt(threshold: threshold, store: fixture.store { $0.fileSystem = dying })
            #expect(
                try await firstDifference(fixture.load(threshold: threshold).data, Self.short) == nil,
                "call \(number)"
            )
            #expect(fixture.partialFiles.isEmpty, "call \(number)")
            guard dying.hasFired else { return }
        }
        Issue.record("every run died")
    }

    @Test(
        "gives the right body, whatever single call fails while one is gone on with",
        arguments: [
            FaultInjectingFileSystem.Fault.error(.inputOutput), .error(.noSpace), .error(.tooManyOpenFiles), .halfDone,
        ]
    )
    func faultWhileGoingOn(fault: FaultInjectingFileSystem.Fault) async throws {
        for number in 1...60 {
            let fixture = try ResumeFixture([
                ResumeFixture.cut(10_000, of: Self.short), ResumeFixture.ranged(Self.short),
            ])
            await fixture.interrupt(threshold: 1_000)
            let failing = FaultInjectingFileSystem(fault, atCall: number)
            let body = try await fixture.load(threshold: 1_000, store: fixture.store { $0.fileSystem = failing })
            #expect(firstDifference(body.data, Self.short) == nil, "call \(number), \(failing.firedAt as Any)")
            #expect(fixture.folder.openFiles().isEmpty)
            guard failing.hasFired else { return }
        }
        Issue.record("every run met a fault")
    }

    @Test("a full disk while a body is gone on with sends the rest to memory")
    func full() async throws {
        let fixture = try ResumeFixture([ResumeFixture.cut(Self.half), ResumeFixture.ranged()])
        await fixture.interrupt()
        let full = FaultInjectingFileSystem(.errorFromNowOn(.noSpace), atCall: 1, of: [.write])
        #expect(
            try await firstDifference(fixture.load(store: fixture.store { $0.fileSystem = full }).data, Self.body)
                == nil
        )
        #expect(fixture.ranges == [nil, "bytes=\(Self.half)-"])
        #expect(full.hasFired && fixture.partialFiles.isEmpty && fixture.folder.openFiles().isEmpty)
    }

    @Test("a journal is read as it was written, and a shorter or longer one is not")
    func journal() throws {
        let key = try #require(PartialBodyKey(TransferRequest(url: URL(string: "http://a/ü?b").unsafelyUnwrapped)))
        let response = PartialResponse(
            url: key.original,
            headers: [.contentType: "image/png", .eTag: "\"ä\""],
            validator: "\"v\"",
            totalBytes: 77
        )
        let written = PartialBodyJournal(key, response)
        let head = try #require(written.head())
        let checkpoint = PartialBodyJournal.Checkpoint(end: 70, checksum: 123)
        let whole = head.bytes + PartialBodyJournal.bytes(of: checkpoint, seed: head.seed)
        func read(_ bytes: [UInt8]) -> (PartialBodyJournal?, size: Int) {
            var size = 0
            var seed: UInt64 = 0
            return (PartialBodyJournal(bytes, size: &size, seed: &seed), size)
        }
        for count in 0..<head.bytes.count { #expect(read(Array(whole.prefix(count))).0 == nil) }
        for count in head.bytes.count..<whole.count {
            #expect(read(Array(whole.prefix(count))).0 == written)
            #expect(read(Array(whole.prefix(count))).size == head.bytes.count)
        }
        var complete = written
        complete.checkpoints = [checkpoint]
        #expect(read(whole).0 == complete && read(whole).size == whole.count)
        for index in whole.indices {
            var damaged = whole
            damaged[index] ^= 4
            #expect(read(damaged).0 == nil, "byte \(index)")
        }
        let tooFar = PartialBodyJournal.bytes(of: .init(end: 78, checksum: 0), seed: head.seed)
        #expect(read(head.bytes + tooFar).0 == nil)
        var big = response
        big.headers = [.contentType: String(repeating: "x", count: 70_000)]
        #expect(PartialBodyJournal(key, big).head() == nil)
    }
}
