internal import FoundationEssentials

/// Reads numbers in the codes that JPEG XL has for all but headers (ISO/IEC 18181-1, annex C): prefix codes or asymmetric
/// numeral systems, one for several contexts, with copies of what came before.
///
/// Only the order of a frame's sections is read so, as it lies before their lengths; nothing is known of it but where it
/// ends. Codes that make no sense are read as libjxl reads them, so that both find the same end.
struct JPEGXLEntropyReader {
    private enum Code {
        case prefix(JPEGXLPrefixCode)
        case numeralSystem(JPEGXLAliasTable)
    }

    /// The bounds of copies of earlier numbers (C.2.3).
    private struct Copies {
        let firstToken: Int
        let least: Int
        let lengths: JPEGXLNumberForm
        let distanceCluster: Int
    }

    private var clusters: [(form: JPEGXLNumberForm, code: Code)] = []
    /// The cluster of each context.
    private var map: [Int]
    private var copies: Copies?
    private var state: UInt64?
    private var numbers: [Int] = []
    private var copyRange = 0..<0

    private static let contextCount = 8
    private static let greatestDistance = 1 << 20

    /// Passes over a permutation (C.3.2).
    ///
    /// - Parameter work: The entries of tables and the numbers that may still be read; below 0 if there were more.
    /// - Returns: Whether it makes sense as far as that is checked.
    static func skipPermutation(of count: Int, _ bits: inout BitReaderFromLowest, work: inout Int) -> Bool {
        func context(_ number: Int) -> Int { min(contextCount - 1, number.significantBitCount) }
        guard var reader = JPEGXLEntropyReader(&bits, contextCount: contextCount, work: &work) else {
            return false
        }
        let end = reader.next(context(count), &bits)
        guard end <= count else { return false }
        work -= end
        guard work >= 0 else { return false }
        var last = 0
        for place in 0..<end {
            last = reader.next(context(last), &bits)
            guard !bits.isBehindEnd, last < count - place else { return false }
        }
        return true
    }

    /// Reads the codes.
    private init?(_ bits: inout BitReaderFromLowest, contextCount: Int, allowsCopies: Bool = true, work: inout Int) {
        map = [0]
        var contextCount = contextCount
        var copied: (firstToken: Int, least: Int, lengths: JPEGXLNumberForm)?
        if bits.next() != 0 {
            let token = Int(bits.value(.constant(224), .constant(512), .constant(4_096), .bits(15, 8)))
            let least = Int(bits.value(.constant(3), .constant(4), .bits(2, 5), .bits(8, 9)))
            guard allowsCopies, let form = JPEGXLNumberForm(&bits, alphabetBitCount: 8) else { return nil }
            copied = (token, least, form)
            contextCount += 1
        }
        if contextCount > 1 {
            guard let map = Self.clusterMap(&bits, contextCount: contextCount, work: &work) else { return nil }
            self.map = map
        }
        if let copied {
            copies = Copies(
                firstToken: copied.firstToken,
                least: copied.least,
                lengths: copied.lengths,
                distanceCluster: map[contextCount - 1]
            )
        }
        let usesPrefixCodes = bits.next() != 0
        let alphabetBitCount = usesPrefixCodes ? JPEGXLPrefixCode.greatestLength : 5 + Int(bits.next(2))
        let clusterCount = (map.max() ?? 0) + 1
        // Each has a context.
        guard Set(map).count == clusterCount else { return nil }
        var forms: [JPEGXLNumberForm] = []
        for _ in 0..<clusterCount {
            guard let form = JPEGXLNumberForm(&bits, alphabetBitCount: alphabetBitCount) else { return nil }
            forms.append(form)
        }
        var sizes: [Int] = []
        if usesPrefixCodes { for _ in forms { sizes.append(bits.shortNumber(lengthBitCount: 4) + 1) } }
        work -= usesPrefixCodes ? sizes.reduce(0, +) : clusterCount << alphabetBitCount
        guard work >= 0, sizes.allSatisfy({ $0 <= 1 << alphabetBitCount }) else { return nil }
        for (index, form) in forms.enumerated() {
            guard !bits.isBehindEnd else { return nil }
            if usesPrefixCodes {
                guard let code = JPEGXLPrefixCode(&bits, symbolCount: sizes[index]) else { return nil }
                clusters.append((form, .prefix(code)))
            } else {
                guard let table = JPEGXLAliasTable(&bits, alphabetBitCount: alphabetBitCount) else { return nil }
                clusters.append((form, .numeralSystem(table)))
            }
        }
        if !usesPrefixCodes { state = bits.next(32) }
    }

    /// Reads the cluster of each context (C.2.2).
    private static func clusterMap(
        _ bits: inout BitReaderFromLowest,
        contextCount: Int,
        work: inout Int
    ) -> [Int]? {
        if bits.next() != 0 {
            let bitCount = Int(bits.next(2))
            return (0..<contextCount).map { _ in Int(bits.next(bitCount)) }
        }
        let movesToFront = bits.next() != 0
        let allowsCopies = contextCount > 2
        guard var reader = JPEGXLEntropyReader(&bits, contextCount: 1, allowsCopies: allowsCopies, work: &work) else {
            return nil
        }
        var order = Array(0...255)
        var map: [Int] = []
        for _ in 0..<contextCount {
            let number = reader.next(0, &bits)
            guard number < order.count else { return nil }
            map.append(order[number])
            if movesToFront { order.insert(order.remove(at: number), at: 0) }
        }
        return map
    }

    private mutating func next(_ context: Int, _ bits: inout BitReaderFromLowest) -> Int {
        if let place = copyRange.popFirst() { return copy(from: place) }
        let token = token(of: map[context], &bits)
        guard let copies, token >= copies.firstToken else {
            let number = clusters[map[context]].form.number(token, &bits)
            if copies != nil { numbers.append(number) }
            return number
        }
        // As in libjxl, of 32 bits.
        let extra = copies.lengths.number(token - copies.firstToken, &bits)
        let count = (extra + copies.least) & 0xffff_ffff
        let distanceToken = self.token(of: copies.distanceCluster, &bits)
        let distance = 1 + clusters[copies.distanceCluster].form.number(distanceToken, &bits)
        let start = numbers.count - min(distance, numbers.count, Self.greatestDistance)
        copyRange = start..<start + count
        guard count >= copies.least, let place = copyRange.popFirst() else { return 0 }
        return copy(from: place)
    }

    private mutating func copy(from place: Int) -> Int {
        // Before the first number, all are 0.
        let number = place < numbers.count ? numbers[place] : 0
        numbers.append(number)
        return number
    }

    private mutating func token(of cluster: Int, _ bits: inout BitReaderFromLowest) -> Int {
        switch clusters[cluster].code {
        case .prefix(let code): return code.symbol(&bits)
        case .numeralSystem(let table):
            var state = state ?? 0
            let symbol = table.symbol(&state)
            if state < 1 << 16 { state = state << 16 | bits.next(16) }
            self.state = state
            return symbol
        }
    }
}

/// A number as a token and bits beside it (C.3.3).
private struct JPEGXLNumberForm {
    private let splitBitCount: Int
    private let highBitCount: Int
    private let lowBitCount: Int

    init?(_ bits: inout BitReaderFromLowest, alphabetBitCount: Int) {
        splitBitCount = Int(bits.next(alphabetBitCount.significantBitCount))
        guard splitBitCount != alphabetBitCount else {
            (highBitCount, lowBitCount) = (0, 0)
            return
        }
        highBitCount = Int(bits.next(splitBitCount.significantBitCount))
        guard highBitCount <= splitBitCount else { return nil }
        lowBitCount = Int(bits.next((splitBitCount - highBitCount).significantBitCount))
        guard highBitCount + lowBitCount <= splitBitCount else { return nil }
    }

    func number(_ token: Int, _ bits: inout BitReaderFromLowest) -> Int {
        guard token >= 1 << splitBitCount else { return token }
        let tokenBitCount = highBitCount + lowBitCount
        // Only up to 29 bits make sense. libjxl takes the number modulo 32, and 32 bits of the result.
        let bitCount = (splitBitCount - tokenBitCount + (token - 1 << splitBitCount) >> tokenBitCount) & 31
        let high = 1 << highBitCount | (token >> lowBitCount) & (1 << highBitCount - 1)
        let low = token & (1 << lowBitCount - 1)
        return ((high << bitCount | Int(bits.next(bitCount))) << lowBitCount | low) & 0xffff_ffff
    }
}

/// A prefix code, described as in Brotli (RFC 7932, section 3).
private struct JPEGXLPrefixCode {
    static let greatestLength = 15
    private static let lengthOrder = [1, 2, 3, 4, 0, 5, 17, 6, 16, 7, 8, 9, 10, 11, 12, 13, 14, 15]

    /// The number of symbols of each length.
    private var counts = [Int](repeating: 0, count: Self.greatestLength + 1)
    /// The symbols in the order of their codes.
    private var symbols: [Int] = []

    init?(_ bits: inout BitReaderFromLowest, symbolCount: Int) {
        guard symbolCount > 1 else {
            symbols = [0]
            return
        }
        let kind = Int(bits.next(2))
        if kind == 1 {
            guard readSimple(&bits, symbolCount) else { return nil }
            return
        }
        var lengths = [Int](repeating: 0, count: 18)
        var space = 32
        for symbol in Self.lengthOrder.dropFirst(kind) where space > 0 {
            lengths[symbol] = Self.lengthOfLength(&bits)
            if lengths[symbol] > 0 { space -= 32 >> lengths[symbol] }
        }
        guard space == 0 || lengths.count(where: { $0 > 0 }) == 1 else { return nil }
        let code = JPEGXLPrefixCode(lengths: lengths)
        guard let lengths = Self.lengths(&bits, code, symbolCount) else { return nil }
        self = JPEGXLPrefixCode(lengths: lengths)
    }

    private init(lengths: [Int]) {
        for length in lengths where length > 0 { counts[length] += 1 }
        var places = [Int](repeating: 0, count: counts.count)
        for length in 1..<counts.count { places[length] = places[length - 1] + counts[length - 1] }
        symbols = [Int](repeating: 0, count: places[Self.greatestLength] + counts[Self.greatestLength])
        for (symbol, length) in lengths.enumerated() where length > 0 {
            symbols[places[length]] = symbol
            places[length] += 1
        }
        // One symbol takes no bits.
        if symbols.count == 1 { counts = [Int](repeating: 0, count: counts.count) }
    }

    private mutating func readSimple(_ bits: inout BitReaderFromLowest, _ symbolCount: Int) -> Bool {
        let bitCount = (symbolCount - 1).significantBitCount
        let count = Int(bits.next(2)) + 1
        symbols = (0..<count).map { _ in Int(bits.next(bitCount)) }
        guard Set(symbols).count == count, symbols.allSatisfy({ $0 < symbolCount }) else { return false }
        switch count {
        case 1: break
        case 2: counts[1] = 2
        case 3: (counts[1], counts[2]) = (1, 2)
        default:
            if bits.next() == 0 { counts[2] = 4 } else { (counts[1], counts[2], counts[3]) = (1, 1, 2) }
        }
        // Symbols of equal length are in their order.
        let firstCount = counts[1] == 1 ? (counts[2] == 1 ? 2 : 1) : 0
        symbols[firstCount...].sort()
        return true
    }

    private static func lengthOfLength(_ bits: inout BitReaderFromLowest) -> Int {
        switch bits.next(2) {
        case 0: return 0
        case 1: return 4
        case 2: return 3
        default:
            guard bits.next() != 0 else { return 2 }
            return bits.next() == 0 ? 1 : 5
        }
    }

    private static func lengths(
        _ bits: inout BitReaderFromLowest,
        _ code: JPEGXLPrefixCode,
        _ symbolCount: Int
    ) -> [Int]? {
        var lengths: [Int] = []
        var (space, last, repeated, repeatCount) = (1 << greatestLength, 8, 0, 0)
        while lengths.count < symbolCount, space > 0 {
            guard !bits.isBehindEnd else { return nil }
            let symbol = code.symbol(&bits)
            guard symbol >= 16 else {
                lengths.append(symbol)
                repeatCount = 0
                guard symbol > 0 else { continue }
                last = symbol
                space -= 1 << (greatestLength - symbol)
                continue
            }
            let (bitCount, length) = symbol == 16 ? (2, last) : (3, 0)
            if repeated != length { (repeated, repeatCount) = (length, 0) }
            let earlier = repeatCount
            repeatCount = (max(0, repeatCount - 2) << bitCount) + 3 + Int(bits.next(bitCount))
            let count = repeatCount - earlier
            guard count <= symbolCount - lengths.count else { return nil }
            lengths += [Int](repeating: length, count: count)
            if length > 0 { space -= count << (greatestLength - length) }
        }
        return space == 0 ? lengths : nil
    }

    func symbol(_ bits: inout BitReaderFromLowest) -> Int {
        guard symbols.count > 1 else { return symbols.first ?? 0 }
        var (code, first, place) = (0, 0, 0)
        for count in counts.dropFirst() {
            code = code << 1 | Int(bits.next())
            if code - first < count { return symbols[place + code - first] }
            place += count
            first = (first + count) << 1
        }
        return 0
    }
}

/// A distribution of symbols whose frequencies add up to 4,096 (C.2.5, C.2.6).
private struct JPEGXLAliasTable {
    private static let bitCount = 12
    private static let sum = 1 << Self.bitCount

    private var frequencies: [Int]
    private var aliases: [Int]
    private var offsets: [Int]
    private var cutoffs: [Int]
    private let entryBitCount: Int

    init?(_ bits: inout BitReaderFromLowest, alphabetBitCount: Int) {
        guard var frequencies = Self.frequencies(&bits), frequencies.count <= 1 << alphabetBitCount else { return nil }
        let count = 1 << alphabetBitCount
        frequencies += [Int](repeating: 0, count: count - frequencies.count)
        self.frequencies = frequencies
        entryBitCount = Self.bitCount - alphabetBitCount
        let entry = 1 << entryBitCount
        aliases = Array(0..<count)
        offsets = [Int](repeating: 0, count: count)
        if let only = frequencies.firstIndex(of: Self.sum) {
            aliases = [Int](repeating: only, count: count)
            offsets = (0..<count).map { $0 * entry }
            cutoffs = [Int](repeating: 0, count: count)
            return
        }
        cutoffs = frequencies
        var small = cutoffs.indices.filter { cutoffs[$0] < entry }
        var large = cutoffs.indices.filter { cutoffs[$0] > entry }
        while let symbol = large.popLast() {
            guard let other = small.popLast() else { return nil }
            cutoffs[symbol] -= entry - cutoffs[other]
            (aliases[other], offsets[other]) = (symbol, cutoffs[symbol])
            if cutoffs[symbol] < entry { small.append(symbol) }
            if cutoffs[symbol] > entry { large.append(symbol) }
        }
        for index in cutoffs.indices {
            if cutoffs[index] == entry {
                (aliases[index], offsets[index], cutoffs[index]) = (index, 0, 0)
            } else {
                offsets[index] -= cutoffs[index]
            }
        }
    }

    func symbol(_ state: inout UInt64) -> Int {
        let low = Int(state) & (Self.sum - 1)
        let (index, place) = (low >> entryBitCount, low & (1 << entryBitCount - 1))
        let isAlias = place >= cutoffs[index]
        let symbol = isAlias ? aliases[index] : index
        let offset = isAlias ? offsets[index] + place : place
        state = UInt64(frequencies[symbol]) * (state >> UInt64(Self.bitCount)) + UInt64(offset)
        return symbol
    }

    private static func frequencies(_ bits: inout BitReaderFromLowest) -> [Int]? {
        if bits.next() != 0 {
            let symbols = (0...Int(bits.next())).map { _ in bits.shortNumber(lengthBitCount: 3) }
            var frequencies = [Int](repeating: 0, count: (symbols.max() ?? 0) + 1)
            guard symbols.count > 1 else {
                frequencies[symbols[0]] = sum
                return frequencies
            }
            guard symbols[0] != symbols[1] else { return nil }
            frequencies[symbols[0]] = Int(bits.next(bitCount))
            frequencies[symbols[1]] = sum - frequencies[symbols[0]]
            return frequencies
        }
        if bits.next() != 0 {
            let count = bits.shortNumber(lengthBitCount: 3) + 1
            return (0..<count).map { sum / count + ($0 < sum % count ? 1 : 0) }
        }
        var precisionBitCount = 0
        while precisionBitCount < 3, bits.next() != 0 { precisionBitCount += 1 }
        let precision = (1 << precisionBitCount | Int(bits.next(precisionBitCount))) - 1
        guard precision <= bitCount + 1 else { return nil }
        return frequencies(&bits, count: bits.shortNumber(lengthBitCount: 3) + 3, precision: precision)
    }

    /// Reads the magnitude of each frequency, then the bits below it; the one of the greatest is what the others leave.
    private static func frequencies(_ bits: inout BitReaderFromLowest, count: Int, precision: Int) -> [Int]? {
        // Those of earlier symbols again have none.
        var magnitudes: [Int?] = []
        while magnitudes.count < count {
            let magnitude = magnitude(&bits)
            guard magnitude > bitCount else {
                magnitudes.append(magnitude)
                continue
            }
            let repeated = bits.shortNumber(lengthBitCount: 3) + 4
            magnitudes += [Int?](repeating: nil, count: min(repeated, count - magnitudes.count))
        }
        guard let greatest = magnitudes.compactMap(\.self).max(), let rest = magnitudes.firstIndex(of: greatest) else {
            return nil
        }
        var frequencies: [Int] = []
        for (index, magnitude) in magnitudes.enumerated() {
            guard let magnitude else {
                frequencies.append(frequencies.last ?? 0)
                continue
            }
            guard index != rest, magnitude > 1 else {
                frequencies.append(index == rest ? 0 : magnitude)
                continue
            }
            let lowBitCount = max(0, min(magnitude - 1, precision - (bitCount - magnitude + 1) >> 1))
            let low = Int(bits.next(lowBitCount)) << (magnitude - 1 - lowBitCount)
            frequencies.append(1 << (magnitude - 1) + low)
        }
        frequencies[rest] = sum - frequencies.reduce(0, +)
        return frequencies[rest] > 0 ? frequencies : nil
    }

    private static func magnitude(_ bits: inout BitReaderFromLowest) -> Int {
        switch bits.next(3) {
        case 0: return 10
        case 2: return 7
        case 4: return 6
        case 5: return 8
        case 6: return 9
        case 7: return bits.next() == 0 ? 5 : 2
        case 3: return bits.next() == 0 ? 3 : 1
        default:
            if bits.next() != 0 { return 4 }
            if bits.next() != 0 { return 0 }
            if bits.next() != 0 { return 11 }
            return bits.next() == 0 ? 12 : 13
        }
    }
}

extension BitReaderFromLowest {
    /// 0, or a number whose length comes first.
    fileprivate mutating func shortNumber(lengthBitCount: Int) -> Int {
        guard next() != 0 else { return 0 }
        let bitCount = Int(next(lengthBitCount))
        return 1 << bitCount | Int(next(bitCount))
    }
}

extension Int {
    /// The bits from the highest that is set, of a number that is not negative.
    fileprivate var significantBitCount: Int { bitWidth - leadingZeroBitCount }
}
