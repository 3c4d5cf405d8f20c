package import FoundationEssentials

/// Walks the tags of an ICC profile before a library reads it, and refuses those on which it would work longer, or take
/// more memory, than their bytes justify: tables larger than the tag, elements that share their bytes, so that few
/// bytes stand for thousands of steps, and more steps a colour than any profile of a device has.
///
/// Tags that hold no curves, tables or elements are of a size that their bytes bound.
package struct ICCTagWalker {
    /// Real profiles have about twenty tags; lcms2 refuses more.
    static let maximumTagCount = 100
    /// Real ones have up to five elements.
    static let maximumElementCount = 64
    /// Multiplications, and segments of curves looked at, for one colour. A table from four inks to three coordinates
    /// takes 48, with curves before and after it about 100.
    private static let maximumStepCount = 512
    /// lcms2 has room for so many.
    private static let maximumChannelCount = 15

    /// Returns whether reading a profile and converting with it takes a time and memory linear in its bytes.
    package static func isBounded(_ profile: Data) -> Bool {
        let reader = ByteReader(profile)
        guard let tagCount = reader.uint32(at: 128), tagCount <= maximumTagCount else { return false }
        var seen: Set<[Int]> = []
        for index in 0..<tagCount {
            let entry = 132 + index * 12
            guard let offset = reader.uint32(at: entry + 4), let size = reader.uint32(at: entry + 8) else {
                return false
            }
            // One that lies outside is passed over; tags may share their bytes with others.
            guard let tag = reader.bytes(at: offset, count: size), seen.insert([offset, size]).inserted else {
                continue
            }
            var walker = ICCTagWalker(tag)
            guard walker.walk() else { return false }
        }
        return true
    }

    private let tag: ByteReader
    private var stepCount = 0
    /// Bytes that will be read, those that are shared as often as they are.
    private var byteCount = 0

    private init(_ tag: Data) {
        self.tag = ByteReader(tag)
    }

    private mutating func walk() -> Bool {
        if tag.hasText("mpet", at: 0) { return walkElements() }
        if tag.hasText("mft1", at: 0) { return walkTable(bytesPerSample: 1) }
        if tag.hasText("mft2", at: 0) { return walkTable(bytesPerSample: 2) }
        if tag.hasText("mAB ", at: 0) || tag.hasText("mBA ", at: 0) { return walkStages() }
        if tag.hasText("curv", at: 0) { return curveEnd(at: 0) != nil }
        return true
    }

    /// Returns whether there is as much more to do as is reasonable.
    private mutating func spend(steps: Int, bytes: Int) -> Bool {
        stepCount += steps
        byteCount += bytes
        return stepCount <= Self.maximumStepCount && byteCount / 4 <= tag.count
    }

    private func channels(at offset: Int, byteCount: Int) -> (input: Int, output: Int)? {
        let (input, output) =
            byteCount == 1
            ? (tag.uint8(at: offset), tag.uint8(at: offset + 1)) : (tag.uint16(at: offset), tag.uint16(at: offset + 2))
        guard let input, let output, 1...Self.maximumChannelCount ~= input, 1...Self.maximumChannelCount ~= output
        else { return nil }
        return (input, output)
    }

    /// The samples of a table with a number of points along each input; `nil` where they exceed the tag.
    private func sampleCount(points: [Int], outputs: Int) -> Int? {
        points.reduce(Optional(outputs)) { product, points in
            product.flatMap { points > 1 && $0 * points <= tag.count ? $0 * points : nil }
        }
    }

    /// lut8Type and lut16Type (ICC.1:2022 10.10 and 10.11).
    private mutating func walkTable(bytesPerSample: Int) -> Bool {
        guard let (input, output) = channels(at: 8, byteCount: 1), let points = tag.uint8(at: 10) else { return false }
        var (start, entries) = (48, (256, 256))
        if bytesPerSample == 2 {
            guard let inputEntries = tag.uint16(at: 48), let outputEntries = tag.uint16(at: 50) else { return false }
            (start, entries) = (52, (inputEntries, outputEntries))
        }
        // No points: curves alone.
        let table = points == 0 ? 0 : sampleCount(points: [Int](repeating: points, count: input), outputs: output)
        guard let table else { return false }
        let samples = input * entries.0 + table + output * entries.1
        return start + samples * bytesPerSample <= tag.count
            && spend(steps: input + output + (1 << input) * output, bytes: 0)
    }

    /// lutAToBType and lutBToAType (ICC.1:2022 10.12 and 10.13).
    private mutating func walkStages() -> Bool {
        guard let (input, output) = channels(at: 8, byteCount: 1) else { return false }
        let places = (0..<5).map { tag.uint32(at: 12 + $0 * 4) ?? 0 }
        let isForward = tag.hasText("mAB ", at: 0)
        // B, M and A curves; a matrix lies between B and M, a table between M and A.
        let counts = isForward ? [output, output, input] : [input, input, output]
        for (place, count) in zip([places[0], places[2], places[4]], counts) where place != 0 {
            var next = place
            for _ in 0..<count {
                guard let end = curveEnd(at: next), spend(steps: 1, bytes: end - next) else { return false }
                next = (end + 3) / 4 * 4
            }
        }
        guard places[3] != 0 else { return true }
        let points = (0..<input).map { tag.uint8(at: places[3] + $0) ?? 0 }
        guard let bytesPerSample = tag.uint8(at: places[3] + 16), 1...2 ~= bytesPerSample,
            let samples = sampleCount(points: points, outputs: output),
            places[3] + 20 + samples * bytesPerSample <= tag.count
        else { return false }
        return spend(steps: (1 << input) * output, bytes: samples * bytesPerSample)
    }

    /// The end of a curveType or parametricCurveType (ICC.1:2022 10.6 and 10.18); `nil` where it is cut, or another.
    private func curveEnd(at offset: Int) -> Int? {
        if tag.hasText("curv", at: offset) {
            return tag.uint32(at: offset + 8).flatMap { end(offset + 12, count: $0, size: 2) }
        }
        guard tag.hasText("para", at: offset), let kind = tag.uint16(at: offset + 8), kind <= 4 else { return nil }
        return end(offset + 12, count: [1, 3, 4, 5, 7][kind], size: 4)
    }

    private func end(_ offset: Int, count: Int, size: Int) -> Int? {
        offset <= tag.count && count <= (tag.count - offset) / size ? offset + count * size : nil
    }

    // MARK: Elements

    /// multiProcessElementsType (ICC.1:2022 10.16).
    private mutating func walkElements() -> Bool {
        guard let count = tag.uint32(at: 12), count <= Self.maximumElementCount else { return false }
        var ranges: [Range<Int>] = []
        for index in 0..<count {
            guard let offset = tag.uint32(at: 16 + index * 8), let end = elementEnd(at: offset) else { return false }
            ranges.append(offset..<end)
        }
        ranges.sort { $0.lowerBound < $1.lowerBound }
        return zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
    }

    private mutating func elementEnd(at offset: Int) -> Int? {
        if tag.hasText("bACS", at: offset) || tag.hasText("eACS", at: offset) {
            // Marks, which change nothing.
            return offset + 8
        }
        guard let (input, output) = channels(at: offset + 8, byteCount: 2) else { return nil }
        if tag.hasText("matf", at: offset) {
            guard spend(steps: input * output, bytes: 0) else { return nil }
            return end(offset + 12, count: (input + 1) * output, size: 4)
        }
        if tag.hasText("clut", at: offset) {
            let points = (0..<input).map { tag.uint8(at: offset + 12 + $0) ?? 0 }
            guard let samples = sampleCount(points: points, outputs: output),
                spend(steps: (1 << input) * output, bytes: 0)
            else { return nil }
            return end(offset + 28, count: samples, size: 4)
        }
        guard tag.hasText("cvst", at: offset) else { return nil }
        var last = offset + 12 + input * 8
        for index in 0..<input {
            // Channels may share a curve.
            guard let place = tag.uint32(at: offset + 12 + index * 8),
                let end = segmentedCurveEnd(at: offset + place)
            else { return nil }
            last = max(last, end)
        }
        return last
    }

    /// segmentedCurve (ICC.1:2022 10.16.2.2).
    private mutating func segmentedCurveEnd(at offset: Int) -> Int? {
        guard tag.hasText("curf", at: offset), let count = tag.uint16(at: offset + 8), count > 0 else { return nil }
        guard var next = end(offset + 12, count: count - 1, size: 4), spend(steps: 8 + count, bytes: 0) else {
            return nil
        }
        for _ in 0..<count {
            var segmentEnd: Int?
            if tag.hasText("parf", at: next), let kind = tag.uint16(at: next + 8), kind <= 2 {
                segmentEnd = end(next + 12, count: kind == 0 ? 4 : 5, size: 4)
            } else if tag.hasText("samf", at: next), let samples = tag.uint32(at: next + 8) {
                segmentEnd = end(next + 12, count: samples, size: 4)
            }
            guard let segmentEnd, spend(steps: 0, bytes: segmentEnd - next) else { return nil }
            next = segmentEnd
        }
        return next
    }
}
