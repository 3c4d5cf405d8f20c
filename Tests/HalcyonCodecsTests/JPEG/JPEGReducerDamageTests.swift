import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("Damaged baseline JPEG at reduced size: the verdict is libjpeg's")
struct JPEGReducerDamageTests {
    private enum Outcome: Equatable {
        case image(PixelSize, isPartial: Bool)
        case failure(CodecError)
    }

    private func outcome(
        _ file: Data,
        eighths: Int,
        usesReducer: Bool,
        damage: DamageHandling = .isRefused
    ) throws -> Outcome {
        do {
            let image = try JPEGReduction.decode(file, eighths: eighths, usesReducer: usesReducer, damage: damage)
            return .image(image.size, isPartial: image.isPartial)
        } catch let error as CodecError {
            return .failure(error)
        }
    }

    private static let files = {
        var files: [Data] = []
        for (index, sampling) in [[(1, 1)], [(2, 2), (1, 1), (1, 1)], [(2, 1), (1, 1), (1, 1)]].enumerated() {
            var file = RandomJPEG(width: 45, height: 38, sampling: sampling)
            file.restartInterval = index
            file.hasLongCodes = index == 1
            files.append(file.data)
        }
        return files
    }()

    @Test("a file cut at any byte is truncated", arguments: 0..<3, [1, 2, 4])
    func everyTruncation(_ index: Int, eighths: Int) throws {
        let file = Self.files[index]
        #expect(try JPEGReduction.own(file, eighths: eighths) != nil)
        for length in 2..<file.count - 3 {
            let cut = file.prefix(length)
            #expect(throws: CodecError.truncated(.jpeg), "cut at \(length) of \(file.count)") {
                try JPEGReduction.decode(cut, eighths: eighths)
            }
        }
    }

    @Test("random damage has the same outcome with and without libjpeg", arguments: 0..<3, [1, 2, 4])
    func randomDamage(_ index: Int, eighths: Int) throws {
        var random = SeededRandom(seed: UInt64(index * 2 + eighths))
        for _ in 0..<500 {
            let damaged = random.damage(Self.files[index])
            guard let size = try? JPEGHeader(parsing: damaged).size, size.area < 1 << 18 else {
                continue
            }
            for damage in [DamageHandling.isRefused, .showsWhatIsThere] {
                let own = try outcome(damaged, eighths: eighths, usesReducer: true, damage: damage)
                #expect(try own == outcome(damaged, eighths: eighths, usesReducer: false, damage: damage))
            }
        }
    }

    @Test("a table that no component names may be one that 8-bit images do not have")
    func unusedTable() throws {
        let file = RandomJPEG(width: 45, height: 38, sampling: [(1, 1)]).data
        let table = JPEGBytes.segment(0xc4, Data([0x13, 1] + Array(repeating: 0, count: 15) + [0x0f]))
        let extended = file.prefix(2) + table + file.dropFirst(2)
        let expected = try #require(try JPEGReduction.own(file, eighths: 2))
        #expect(try JPEGReduction.own(extended, eighths: 2)?.rowBytes() == expected.rowBytes())
    }

    @Test("a missing, wrong or surplus restart marker has libjpeg's outcome")
    func restartMarkers() throws {
        var file = RandomJPEG(width: 64, height: 64, sampling: [(1, 1)])
        file.restartInterval = 8
        let data = file.data
        let markers = data.indices.dropLast().filter { data[$0] == 0xff && 0xd0...0xd7 ~= data[$0 + 1] }
        #expect(markers.count == 7)
        for marker in markers {
            var missing = data
            missing.removeSubrange(marker..<marker + 2)
            var wrong = data
            wrong[marker + 1] ^= 3
            var surplus = data
            surplus.insert(contentsOf: [0xff, 0xd0], at: marker)
            var padded = data
            padded.insert(contentsOf: [0xff, 0xff], at: marker)
            for damaged in [missing, wrong, surplus, padded] {
                let own = try outcome(damaged, eighths: 1, usesReducer: true)
                #expect(try own == outcome(damaged, eighths: 1, usesReducer: false))
            }
        }
    }

    @Test("codes, values and tables that 8-bit images do not have are left to libjpeg")
    func impossibleTables() {
        // A value that cannot be copied cannot pass through #require.
        guard let reducer = JPEGReducer() else {
            Issue.record("no memory")
            return
        }
        let one: [UInt8] = [1] + Array(repeating: 0, count: 15)
        let crowded: [UInt8] = [3] + Array(repeating: 0, count: 15)
        let full = Array(repeating: UInt8(255), count: 16)
        let tables: [(counts: [UInt8], symbols: [UInt8], isAC: Bool, destination: Int)] = [
            (one, [0x0b], true, 0), (one, [12], false, 0), (one, [0, 1], true, 0), (one, [0], true, 4),
            (full, Array(repeating: 0, count: 16 * 255), true, 0), (crowded, [0, 1, 2], true, 0),
        ]
        var isAccepted = reducer.setTable(counts: one, symbols: [0], isAC: true, destination: 0)
        #expect(isAccepted)
        for table in tables {
            isAccepted = reducer.setTable(
                counts: table.counts,
                symbols: table.symbols,
                isAC: table.isAC,
                destination: table.destination
            )
            #expect(!isAccepted)
        }
        let component = JPEGHeader.Component(horizontalSampling: 1, verticalSampling: 1)
        let factors = Array(repeating: UInt16(1), count: 64)
        isAccepted = reducer.add(component, quantization: factors, tableOfDC: 3, tableOfAC: 0)
        #expect(!isAccepted, "no table is set any more: the crowded one replaced it")
        isAccepted =
            reducer.setTable(counts: one, symbols: [0], isAC: true, destination: 0)
            && reducer.setTable(counts: one, symbols: [0], isAC: false, destination: 3)
        #expect(isAccepted)
        isAccepted = reducer.add(component, quantization: [256] + factors.dropLast(), tableOfDC: 3, tableOfAC: 0)
        #expect(!isAccepted)
        isAccepted = reducer.add(component, quantization: factors, tableOfDC: 3, tableOfAC: 0)
        #expect(isAccepted)
    }
}
