import FoundationEssentials

/// Writes baseline files whose coefficients are random numbers, with any sampling factors and restart interval.
struct RandomJPEG {
    enum Coefficients {
        /// Any number of any of them.
        case dense
        /// Only those of which nothing is left at reduced size, besides the mean.
        case invisible
        /// As many as there can be, but of the first component only those that are invisible.
        case denseColors
    }

    var width: Int
    var height: Int
    /// Horizontal and vertical factors of each component.
    var sampling: [(Int, Int)]
    var coefficients = Coefficients.dense
    var restartInterval = 0
    /// A Boolean value that indicates whether all but the ends of blocks have codes of 16 bits, so that no table of a
    /// decoder holds them.
    var hasLongCodes = false
    var seed: UInt64 = 1

    init(width: Int, height: Int, sampling: [(Int, Int)]) {
        (self.width, self.height, self.sampling) = (width, height, sampling)
    }

    var data: Data {
        var random = SeededRandom(seed: seed)
        var file = Data([0xff, 0xd8])
        file += JPEGBytes.segment(0xdb, Data([0]) + (0..<64).map { UInt8(1 + $0 / 8) })
        file += JPEGBytes.segment(0xc4, Data([0x00]) + directCounts + directSymbols)
        file += JPEGBytes.segment(0xc4, Data([0x10]) + alternatingCounts + alternatingSymbols)
        if restartInterval > 0 {
            file += JPEGBytes.segment(0xdd, Data([UInt8(restartInterval >> 8), UInt8(restartInterval & 255)]))
        }
        file += frame
        file += JPEGBytes.segment(
            0xda,
            Data([UInt8(sampling.count)]) + sampling.indices.flatMap { [UInt8($0 + 1), 0] } + [0, 63, 0]
        )
        return file + scan(&random) + [0xff, 0xd9]
    }

    private var frame: Data {
        var payload = Data([8, UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)])
        payload += [UInt8(sampling.count)]
        for (index, factors) in sampling.enumerated() {
            payload += [UInt8(index + 1), UInt8(factors.0 << 4 | factors.1), 0]
        }
        return JPEGBytes.segment(0xc0, payload)
    }

    /// Four bits for each of the twelve categories.
    private var directCounts: Data { Data((1...16).map { $0 == 4 ? 12 : 0 }) }
    private var directSymbols: Data { Data(0...11) }

    /// The end of a block, then runs of 0 to 15 with categories 1 to 4, then a run of 16.
    private let alternatingSymbols: [UInt8] =
        [0] + (0..<16).flatMap { run in (1...4).map { UInt8(run << 4 | $0) } } + [0xf0]

    private var alternatingCounts: Data {
        let others = UInt8(alternatingSymbols.count - 1)
        return Data((1...16).map { $0 == 1 ? 1 : $0 == (hasLongCodes ? 16 : 8) ? others : 0 })
    }

    private func scan(_ random: inout SeededRandom) -> Data {
        let blocks = sampling.count == 1 ? [1] : sampling.map { $0.0 * $0.1 }
        let horizontal = sampling.count == 1 ? 1 : sampling.map(\.0).max() ?? 1
        let vertical = sampling.count == 1 ? 1 : sampling.map(\.1).max() ?? 1
        let unitCount = ((width - 1) / (8 * horizontal) + 1) * ((height - 1) / (8 * vertical) + 1)
        var result = Data()
        var bits = JPEGBitWriter()
        var means = sampling.map { _ in 0 }
        for unit in 0..<unitCount {
            if restartInterval > 0, unit > 0, unit.isMultiple(of: restartInterval) {
                result += bits.finish() + [0xff, 0xd0 + UInt8((unit / restartInterval - 1) & 7)]
                bits = JPEGBitWriter()
                means = sampling.map { _ in 0 }
            }
            for (component, count) in blocks.enumerated() {
                for _ in 0..<count {
                    let mean = random.next(below: 2_000) - 1_000
                    bits.writeDifference(mean - means[component])
                    means[component] = mean
                    writeDetail(&bits, &random, isInvisible: isInvisible(component))
                }
            }
        }
        return result + bits.finish()
    }

    private func isInvisible(_ component: Int) -> Bool {
        switch coefficients {
        case .dense: false
        case .invisible: true
        case .denseColors: component == 0
        }
    }

    private func writeDetail(_ bits: inout JPEGBitWriter, _ random: inout SeededRandom, isInvisible: Bool) {
        var run = 0
        // (4, 0), (0, 4), and (4, 4), whose cosines have a mean of zero over halves and over quarters of a block.
        let places = isInvisible ? [10, 14, 39] : Array(1...63)
        var last = 0
        for place in places where isInvisible || random.next(below: 3) == 0 {
            run = place - last - 1
            while run > 15 {
                write(0xf0, &bits)
                run -= 16
            }
            let category = 1 + random.next(below: 4)
            write(UInt8(run << 4 | category), &bits)
            bits.write(random.next(below: 1 << category), count: category)
            last = place
        }
        if last < 63 {
            write(0, &bits)
        }
    }

    private func write(_ symbol: UInt8, _ bits: inout JPEGBitWriter) {
        guard symbol != 0 else {
            return bits.write(0, count: 1)
        }
        let index = symbol == 0xf0 ? 64 : Int(symbol >> 4) * 4 + Int(symbol & 15) - 1
        let length = hasLongCodes ? 16 : 8
        bits.write((1 << (length - 1)) + index, count: length)
    }
}
