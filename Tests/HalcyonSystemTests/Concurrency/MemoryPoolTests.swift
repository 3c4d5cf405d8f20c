import HalcyonSystem
import Testing

/// Each test has a pool of its own; the shared one serves the other tests at the same time.
@Suite("the pool of large blocks")
struct MemoryPoolTests {
    private static let mebibyte = 1 << 20

    /// Holds what is to run later, until a test lets it.
    private final class Later: Sendable {
        private let actions = Lock<[@Sendable () -> Void]>([])

        var count: Int { actions.withLock { $0.count } }

        func schedule(_ delay: Duration, _ action: @escaping @Sendable () -> Void) {
            actions.withLock { $0.append(action) }
        }

        func runAll() {
            let actions = actions.withLock { actions in
                defer { actions = [] }
                return actions
            }
            for action in actions { action() }
        }
    }

    private let later = Later()

    private func makePool() -> MemoryPool {
        MemoryPool(byteLimit: 32 * Self.mebibyte) { [later] in later.schedule($0, $1) }
    }

    /// Uses so many blocks of 1 MiB at the same time.
    private func use(_ count: Int, of pool: MemoryPool) throws {
        let blocks = try (0..<count).map { _ in try #require(pool.take(byteCount: Self.mebibyte)) }
        for block in blocks { pool.giveBack(block) }
    }

    @Test("memory that is lent serves one block of pixels at a time, and nothing else")
    func loan() throws {
        let pool = makePool()
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.mebibyte, alignment: 64)
        defer { memory.deallocate() }
        func pointer(_ byteCount: Int, isForPixels: Bool = true) throws -> UnsafeMutableRawPointer {
            let block = try #require(pool.take(byteCount: byteCount, isForPixels: isForPixels))
            pool.giveBack(block)
            return block.pointer
        }
        try pool.lending(memory) {
            #expect(try pointer(Self.mebibyte, isForPixels: false) != memory.baseAddress)
            #expect(try pointer(Self.mebibyte + 1) != memory.baseAddress)
            #expect(try pointer(Self.mebibyte) == memory.baseAddress)
            let block = try #require(pool.take(byteCount: 100_000, isForPixels: true))
            #expect(block.pointer == memory.baseAddress)
            #expect(try pointer(100_000) != memory.baseAddress)
            pool.giveBack(block)
            #expect(try pointer(100_000) == memory.baseAddress)
        }
        #expect(try pointer(Self.mebibyte) != memory.baseAddress)
    }

    @Test("what nobody asks for after a burst is freed by the second sweep, and then nothing is scheduled any more")
    func idlePoolIsEmptied() throws {
        let pool = makePool()
        try use(8, of: pool)
        #expect(pool.statistics.keptBlockCount == 8)
        later.runAll()
        later.runAll()
        #expect(pool.statistics.keptByteCount == 0)
        later.runAll()
        #expect(later.count == 0)
        try use(1, of: pool)
        #expect(later.count == 1)
    }

    @Test("a sweep frees what was not needed since the last one, and keeps what was")
    func usedBlocksStay() throws {
        let pool = makePool()
        try use(8, of: pool)
        later.runAll()
        for _ in 0..<3 {
            try use(3, of: pool)
            later.runAll()
            #expect(pool.statistics.keptBlockCount == 3)
        }
        #expect(pool.statistics.missCount == 8)
    }

    @Test("one sweep is scheduled, however many blocks come back")
    func oneSweep() throws {
        let pool = makePool()
        try use(20, of: pool)
        try use(20, of: pool)
        #expect(later.count == 1)
    }

    @Test("a pool that has ended is not kept by its sweep")
    func endedPool() throws {
        var pool: MemoryPool? = makePool()
        weak let reference = pool
        try use(2, of: try #require(pool))
        pool = nil
        #expect(reference == nil)
        later.runAll()
        #expect(later.count == 0)
    }

    @Test("large blocks begin with a page, as what is mapped does, and malloc serves the small ones", .notInstrumented)
    func mappedBlocks() throws {
        // malloc puts a head before each block, also before those that it maps.
        for byteCount in [256 << 10, 300_001, 24 * Self.mebibyte] {
            let block = try #require(MemoryBlock(byteCount: byteCount))
            defer { block.free() }
            #expect(Int(bitPattern: block.pointer) % 4_096 == 0)
            #expect(block.capacity >= byteCount)
            block.pointer.storeBytes(of: 1, toByteOffset: block.capacity - 1, as: UInt8.self)
        }
        let blocks = try (0..<16).map { _ in try #require(MemoryBlock(byteCount: 1_000)) }
        defer { blocks.forEach { $0.free() } }
        #expect(blocks.contains { Int(bitPattern: $0.pointer) % 4_096 != 0 })
    }

    @Test("a block whose size is rounded up to that of large ones is freed as what it is")
    func roundedSize() throws {
        for byteCount in (256 << 10) - 64...(256 << 10) {
            let block = try #require(MemoryBlock(byteCount: byteCount))
            block.pointer.storeBytes(of: 1, toByteOffset: block.capacity - 1, as: UInt8.self)
            block.free()
        }
    }

    @Test("memory that is referred to goes back to its pool with the last reference")
    func references() throws {
        let pool = makePool()
        var references = [try #require(PooledMemory(byteCount: Self.mebibyte, pool: pool))]
        references.append(references[0])
        references.removeFirst()
        #expect(pool.statistics.keptBlockCount == 0)
        references = []
        #expect(pool.statistics.keptBlockCount == 1)
    }
}

extension Trait where Self == ConditionTrait {
    /// Sanitizers have a malloc of their own, which they watch.
    fileprivate static var notInstrumented: Self {
        .disabled(if: MemoryBlock.isInstrumented, "a sanitizer watches what comes from malloc alone")
    }
}
