import HalcyonRaster
import HalcyonSystem
import Testing

/// Each test has a pool of its own; the shared one serves the other tests at the same time.
@Suite("the pool of pixel buffers")
struct PixelBufferPoolTests {
    static let mebibyte = 1 << 20

    @Test("hands a buffer's memory to the next one of similar size")
    func memoryIsReused() throws {
        let pool = MemoryPool(byteLimit: 64 * Self.mebibyte)
        let first = try PixelBuffer(byteCount: Self.mebibyte, pool: pool).pointer
        #expect(pool.statistics == .init(keptByteCount: Self.mebibyte, keptBlockCount: 1, hitCount: 0, missCount: 1))
        let second = try PixelBuffer(byteCount: Self.mebibyte - 1_000, pool: pool)
        #expect(second.pointer == first)
        #expect(second.byteCount == Self.mebibyte - 1_000)
        #expect(pool.statistics == .init(keptByteCount: 0, keptBlockCount: 0, hitCount: 1, missCount: 1))
    }

    @Test("gives live buffers distinct memory, aligned to 64 bytes and writable to the end")
    func liveBuffersAreDistinct() throws {
        let pool = MemoryPool(byteLimit: 8 * Self.mebibyte)
        for byteCount in [1, 63, 64, 65, 65_536, 65_537, 81_920, 81_921, 1_000_000, 5_000_000] {
            let buffers = try (0..<4).map { _ in try PixelBuffer(byteCount: byteCount, pool: pool) }
            for (index, buffer) in buffers.enumerated() {
                #expect(Int(bitPattern: buffer.pointer) % 64 == 0)
                buffer.pointer.initializeMemory(as: UInt8.self, repeating: UInt8(index), count: byteCount)
            }
            for (index, buffer) in buffers.enumerated() {
                #expect(buffer.pointer.load(as: UInt8.self) == index)
                #expect(buffer.pointer.load(fromByteOffset: byteCount - 1, as: UInt8.self) == index)
            }
        }
    }

    @Test("leaves small buffers and those above half of its limit to the system")
    func extremeSizesAreNotKept() throws {
        let pool = MemoryPool(byteLimit: 4 * Self.mebibyte)
        for byteCount in [100, 64 << 10, 2 * Self.mebibyte + 1, 40 * Self.mebibyte] {
            _ = try PixelBuffer(byteCount: byteCount, pool: pool)
            #expect(pool.statistics == .init(), "\(byteCount) bytes")
        }
        _ = try PixelBuffer(byteCount: Self.mebibyte, pool: pool)
        #expect(pool.statistics.keptBlockCount == 1)
    }

    @Test("keeps no more than its limit, and frees what has waited longest")
    func limitHolds() throws {
        let pool = MemoryPool(byteLimit: 4 * Self.mebibyte)
        // The smaller one returns first.
        do { _ = try PixelBuffer(byteCount: 200_000, pool: pool) }
        do {
            let buffers = try (0..<8).map { _ in try PixelBuffer(byteCount: Self.mebibyte, pool: pool) }
            #expect(buffers.count == 8)
        }
        #expect(pool.statistics.keptByteCount == 4 * Self.mebibyte)
        #expect(pool.statistics.keptBlockCount == 4)
        _ = try PixelBuffer(byteCount: 200_000, pool: pool)
        #expect(pool.statistics.hitCount == 0)
    }

    @Test("frees what is too much when its limit is lowered, and everything when trimmed")
    func loweringTheLimitFrees() throws {
        let pool = MemoryPool(byteLimit: 16 * Self.mebibyte)
        do {
            let buffers = try (0..<6).map { _ in try PixelBuffer(byteCount: Self.mebibyte, pool: pool) }
            #expect(buffers.count == 6)
        }
        #expect(pool.statistics.keptByteCount == 6 * Self.mebibyte)
        pool.byteLimit = 4 * Self.mebibyte
        #expect(pool.statistics.keptByteCount == 4 * Self.mebibyte)
        pool.trim(to: 2 * Self.mebibyte)
        #expect(pool.statistics.keptBlockCount == 2)
        pool.trim()
        #expect(pool.statistics.keptByteCount == 0 && pool.statistics.keptBlockCount == 0)
        pool.byteLimit = 0
        _ = try PixelBuffer(byteCount: Self.mebibyte, pool: pool)
        #expect(pool.statistics.keptByteCount == 0)
    }

    @Test("throws where the memory cannot be had", arguments: [0, -1, Int.min, Int.max, Int.max / 2, 1 << 54])
    func impossibleSizesThrow(byteCount: Int) {
        let pool = MemoryPool(byteLimit: Self.mebibyte)
        #expect(throws: BitmapError.outOfMemory(byteCount: byteCount)) {
            try PixelBuffer(byteCount: byteCount, pool: pool)
        }
    }

    @Test("serves many threads at once without giving memory out twice")
    func concurrentUseIsSafe() async throws {
        let pool = MemoryPool(byteLimit: 4 * Self.mebibyte)
        let intact = try await withThrowingTaskGroup(of: Bool.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var random = SplitMix(seed: UInt64(worker))
                    for _ in 0..<200 {
                        let byteCount = Int.random(in: 60_000...400_000, using: &random)
                        let buffer = try PixelBuffer(byteCount: byteCount, pool: pool)
                        buffer.pointer.storeBytes(of: worker, as: Int.self)
                        await Task.yield()
                        if buffer.pointer.load(as: Int.self) != worker { return false }
                    }
                    return true
                }
            }
            return try await group.allSatisfy { $0 }
        }
        #expect(intact)
        #expect(pool.statistics.keptByteCount <= 4 * Self.mebibyte)
        #expect(pool.statistics.hitCount > 0)
    }
}
