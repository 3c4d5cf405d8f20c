import Testing

@testable import HalcyonRaster

@Suite("resampling weights")
struct ResamplingWeightsTests {
    @Test("add up exactly, stay inside the source, and leave room for the sums", arguments: ResamplingFilter.allCases)
    func weightsAreSound(filter: ResamplingFilter) {
        guard filter != .nearest else { return }
        var random = SplitMix(seed: 31)
        var pairs = (1...12).flatMap { source in (1...12).map { (source, $0) } }
        pairs += (0..<60).map { _ in (Int.random(in: 1...700, using: &random), Int.random(in: 1...700, using: &random))
        }
        pairs += [(20_000, 1), (1, 5_000), (9_999, 10_000)]
        for (source, destination) in pairs {
            for (maximumBits, takesPairs) in [(15, true), (15, false), (21, false)] {
                let weights = ResamplingWeights(
                    source: source,
                    destination: destination,
                    filter: filter,
                    maximumBits: maximumBits,
                    takesPairs: takesPairs
                )
                #expect(!takesPairs || weights.stride % 2 == 0 && weights.starts.allSatisfy { $0 % 2 == 0 })
                // The kernels shift by at least one bit after six fractional ones were kept.
                #expect(weights.bits >= 13 && weights.bits <= maximumBits)
                var isSound = true
                for o in 0..<destination {
                    let start = Int(weights.starts[o])
                    let count = Int(weights.counts[o])
                    let values = weights.values[(o * weights.stride)..<((o + 1) * weights.stride)].map(Int.init)
                    isSound = isSound && count >= 1 && start >= 0 && start + count <= source
                    isSound = isSound && start + weights.stride <= source + weights.overhang
                    isSound = isSound && values.dropFirst(count).allSatisfy { $0 == 0 }
                    isSound = isSound && values.reduce(0, +) == 1 << weights.bits
                    let magnitude = values.reduce(0) { $0 + abs($1) }
                    isSound = isSound && Double(magnitude) <= 1.9 * Double(1 << weights.bits)
                    // What the first pass hands to the second is at most this, and must fit 16 bits with six
                    // fractional.
                    let peak = values.reduce(0) { $0 + max(0, $1) }
                    isSound = isSound && Double(peak) * 255 * 64 / Double(1 << weights.bits) < 32_767
                }
                #expect(isSound, "\(source) to \(destination)")
            }
        }
    }

    @Test("a part of a very long image takes the memory of the part, and the weights of the whole")
    func parts() {
        func table(_ destination: Int, _ part: Range<Int>?) -> ResamplingWeights {
            ResamplingWeights(source: 5, destination: destination, part: part, filter: .lanczos3, maximumBits: 21)
        }
        let (whole, part) = (table(70_000, nil), table(70_000, 60_000..<60_040))
        #expect(part.part == 60_000..<60_040 && part.bits == whole.bits)
        #expect(part.starts.elementsEqual(whole.starts[60_000..<60_040]))
        for index in 0..<40 {
            let (here, there) = (index * part.stride, (60_000 + index) * whole.stride)
            let count = Int(part.counts[index])
            #expect(part.values[here..<(here + count)].elementsEqual(whole.values[there..<(there + count)]))
            #expect(part.values[here..<(here + count)].reduce(0) { $0 + Int($1) } == 1 << part.bits)
        }
        #expect(table(1 << 26, 1_000..<1_010).starts.count == 10)
        // Short ones are made whole, for other parts to find them.
        #expect(table(100, 3..<5).part == 0..<100)
    }

    @Test("the cache returns what was stored, and forgets what was used longest ago")
    func cacheForgetsTheOldest() {
        let cache = ResamplingWeightsCache(countLimit: 2, byteLimit: 1 << 20)
        func key(_ destination: Int) -> ResamplingWeightsCache.Key {
            .init(
                source: 100,
                destination: destination,
                part: 0..<destination,
                filter: .lanczos3,
                edges: .none,
                maximumBits: 15,
                takesPairs: false
            )
        }
        func table(_ destination: Int) -> ResamplingWeights {
            ResamplingWeights(source: 100, destination: destination, filter: .lanczos3, maximumBits: 15)
        }
        cache.insert(table(10), for: key(10))
        cache.insert(table(20), for: key(20))
        #expect(cache.weights(for: key(10))?.starts.count == 10)
        cache.insert(table(30), for: key(30))
        #expect(cache.weights(for: key(20)) == nil)
        #expect(cache.weights(for: key(10))?.starts.count == 10)
        #expect(cache.weights(for: key(30))?.starts.count == 30)
        #expect(cache.usage.count == 2)
    }

    @Test("the cache stays within its bytes, and takes no table that would fill a quarter of it")
    func cacheIsBounded() {
        let cache = ResamplingWeightsCache(countLimit: 64, byteLimit: 16_384)
        for destination in 1...100 {
            cache.insert(
                ResamplingWeights(source: 100, destination: destination, filter: .bilinear, maximumBits: 15),
                for: .init(
                    source: 100,
                    destination: destination,
                    part: 0..<destination,
                    filter: .bilinear,
                    edges: .none,
                    maximumBits: 15,
                    takesPairs: false
                )
            )
            #expect(cache.usage.byteCount <= 16_384)
        }
        let large = ResamplingWeights(source: 1_000, destination: 900, filter: .lanczos3, maximumBits: 15)
        #expect(large.byteCount > 4_096)
        let before = cache.usage
        let key = ResamplingWeightsCache.Key(
            source: 1_000,
            destination: 900,
            part: 0..<900,
            filter: .lanczos3,
            edges: .none,
            maximumBits: 15,
            takesPairs: false
        )
        cache.insert(large, for: key)
        #expect(cache.usage == before)
    }

    @Test("of outermost pixels that are partial, only the parts within the image count")
    func partialEdges() {
        func bilinear(_ edges: PartialEdges.Axis) -> [Double] {
            ExactResamplingWeights(source: 9, destination: 1, part: 0..<1, filter: .bilinear, edges: edges).values
        }
        let whole = bilinear(.none)
        let partial = bilinear(PartialEdges.Axis(leading: 0, trailing: 7))
        #expect(whole[8] == whole[0])
        #expect(partial[8] < whole[8] / 4)
        #expect(abs(partial.reduce(0, +) - 1) < 1e-12)
        // The same at both ends.
        func lanczos(_ edges: PartialEdges.Axis) -> ExactResamplingWeights {
            ExactResamplingWeights(source: 9, destination: 4, part: 0..<4, filter: .lanczos3, edges: edges)
        }
        let turned = lanczos(PartialEdges.Axis(leading: 0, trailing: 5))
        let mirrored = lanczos(PartialEdges.Axis(leading: 5, trailing: 0))
        func weights(_ table: ExactResamplingWeights, _ pixel: Int) -> [Double] {
            var row = [Double](repeating: 0, count: 9)
            for index in 0..<Int(table.counts[pixel]) {
                row[Int(table.starts[pixel]) + index] = table.values[pixel * table.stride + index]
            }
            return row
        }
        for pixel in 0..<4 {
            for (one, other) in zip(weights(turned, pixel), weights(mirrored, 3 - pixel).reversed()) {
                #expect(abs(one - other) < 1e-12)
            }
        }
    }
}
