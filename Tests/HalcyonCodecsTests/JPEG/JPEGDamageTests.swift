import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("Damaged and hostile JPEG files")
struct JPEGDamageTests {
    private let decoder = JPEGDecoder()

    private func decode(
        _ data: Data,
        limits: DecodeLimits = .standard,
        damage: DamageHandling = .isRefused
    ) throws -> DecodedImage {
        try decoder.decode(data, options: DecodeOptions(limits: limits, damage: damage), isCancelled: { false })
    }

    private func shown(_ data: Data) throws -> DecodedImage { try decode(data, damage: .showsWhatIsThere) }

    @Test("a file cut at any byte is truncated, until nothing but the end marker is missing")
    func everyTruncation() throws {
        let photograph = try JPEGEncoder().encode(Bitmap.sample(PixelSize(40, 24)), options: EncodeOptions())
        for file in [photograph, JPEGBytes().data, JPEGBytes(process: 0xc2).data] {
            for length in 1..<file.count - 3 {
                #expect(throws: CodecError.truncated(.jpeg), "cut at \(length) of \(file.count)") {
                    try decode(file.prefix(length))
                }
            }
            #expect(try decode(file.dropLast(2)).size == decode(file).size)
        }
    }

    @Test("a progressive file cut between two scans is truncated")
    func missingScans() {
        let file = JPEGBytes(process: 0xc2)
        #expect(throws: CodecError.truncated(.jpeg)) { try decode(file.header + file.firstScan) }
    }

    @Test("the header is read from every prefix that reaches behind the frame, and truncated before")
    func headerOfPrefixes() throws {
        var file = JPEGBytes(width: 300, height: 200)
        file.segments = JPEGBytes.exif(orientation: 6)
        let expected = try decoder.info(of: file.data, limits: .standard)
        #expect(expected.orientation == .right && expected.displaySize == PixelSize(200, 300))
        for length in 1..<file.header.count {
            #expect(throws: CodecError.truncated(.jpeg), "\(length) bytes") {
                try decoder.info(of: file.data.prefix(length), limits: .standard)
            }
        }
        for length in file.header.count...file.data.count {
            #expect(try decoder.info(of: file.data.prefix(length), limits: .standard) == expected)
        }
    }

    @Test("a forged size is refused before any memory is taken")
    func forgedSizes() {
        let size = PixelSize(65_000, 65_000)
        let huge = JPEGBytes(width: size.width, height: size.height, process: 0xc2)
        // Only the header: the scans would be as large as the image claims to be.
        let file = huge.header + JPEGBytes(process: 0xc2).firstScan
        #expect(throws: CodecError.limitExceeded(.jpeg, .pixelCount(size, maximum: 1 << 28))) { try decode(file) }
        #expect(throws: CodecError.limitExceeded(.jpeg, .sideLength(size, maximum: 30_000))) {
            try decode(file, limits: DecodeLimits(sideLength: 30_000))
        }
        #expect(throws: CodecError.limitExceeded(.jpeg, .memory(260_032 * 65_000 + 8_125 * 8_125 * 128, maximum: 1))) {
            try decode(file, limits: DecodeLimits(pixelCount: .max, memory: 1))
        }
        #expect(throws: CodecError.self) { try decode(file, limits: DecodeLimits(pixelCount: .max)) }
    }

    @Test("the coefficients of a progressive file and the copy for its orientation count as memory")
    func memory() throws {
        let pixels = 256 * 4 * 256
        let plain = JPEGBytes(width: 256, height: 256)
        #expect(try decode(plain.data, limits: DecodeLimits(memory: pixels)).size == PixelSize(256, 256))
        let coefficients = 32 * 32 * 128
        var progressive = plain
        progressive.process = 0xc2
        let needed = CodecError.limitExceeded(.jpeg, .memory(pixels + coefficients, maximum: pixels))
        #expect(throws: needed) { try decode(progressive.data, limits: DecodeLimits(memory: pixels)) }
        _ = try decode(progressive.data, limits: DecodeLimits(memory: pixels + coefficients))
        var rotated = plain
        rotated.segments = JPEGBytes.exif(orientation: 6)
        #expect(throws: CodecError.limitExceeded(.jpeg, .memory(2 * pixels, maximum: pixels))) {
            try decode(rotated.data, limits: DecodeLimits(memory: pixels))
        }
    }

    @Test("thousands of empty scans are refused")
    func scanCount() throws {
        var file = JPEGBytes(process: 0xc2)
        file.detailScanCount = 400
        _ = try decode(file.data)
        file.detailScanCount = 3_000
        #expect(throws: CodecError.unsupported(.jpeg, reason: "too many scans")) { try decode(file.data) }
    }

    @Test("impossible segments and codes are corrupt, with the reason")
    func corruptStructure() {
        let file = JPEGBytes()
        let cases: [(Data, String)] = [
            (Data([0xff, 0xd8, 0xff, 0xc0, 0, 1]), "a segment of 1 bytes at byte 4"),
            (Data([0xff, 0xd8, 0xff, 0xd9]), "the image ends before its data"),
            (Data([0xff, 0xd8]) + file.firstScan, "a scan before the frame header"),
            (JPEGBytes(width: 0).data, "a frame without columns"),
        ]
        for (data, reason) in cases {
            #expect(throws: CodecError.corrupt(.jpeg, reason: reason)) { try decode(data) }
        }
        #expect(throws: CodecError.unsupported(.jpeg, reason: "the height is given after the image data")) {
            try decode(JPEGBytes(height: 0).data)
        }
    }

    @Test("a wrong code spoils blocks, and is an error where damage is refused, however the file is decoded")
    func wrongCode() throws {
        let file = JPEGBytes(height: 64)
        let scan = JPEGBytes.segment(0xda, Data([1, 1, 0, 0, 63, 0]))
        let wrong = Data([0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0])
        let end = Data([0xff, 0xd9])
        let spoiled = file.header + scan + wrong + Data(count: 400) + end
        #expect(try shown(spoiled).size == PixelSize(16, 64))
        #expect(throws: CodecError.truncated(.jpeg)) { try shown(file.header + scan + wrong + end) }
        let options = DecodeOptions(damage: .isRefused)
        let isCorrupt = { (error: any Error) in if case CodecError.corrupt(.jpeg, _) = error { true } else { false } }
        #expect(performing: { try decode(spoiled) }, throws: isCorrupt)
        #expect(
            performing: { try FrameReader(spoiled, decoder: decoder, options: options).frame(at: 0) },
            throws: isCorrupt
        )
        let incremental = IncrementalDecoder(options: options)
        #expect(
            performing: {
                try incremental.append(spoiled)
                incremental.end()
                while try incremental.advance() {}
            },
            throws: isCorrupt
        )
    }

    @Test("data that end at a restart marker spoil their interval, unless most intervals are such")
    func shortInterval() throws {
        var file = RandomJPEG(width: 64, height: 64, sampling: [(1, 1)])
        file.restartInterval = 8
        let whole = try decode(file.data).bitmap
        let bytes = [UInt8](file.data)
        let markers = bytes.indices.dropLast().filter { bytes[$0] == 0xff && 0xd0...0xd7 ~= bytes[$0 + 1] }
        #expect(markers.count == 7)
        for (row, marker) in markers.enumerated() {
            var damaged = file.data
            damaged.removeSubrange((marker - 20)..<marker)
            let bitmap = try shown(damaged).bitmap
            let spoiled = (0..<8).filter { block in
                (block * 8..<block * 8 + 8).contains { y in (0..<64).contains { whole[$0, y] != bitmap[$0, y] } }
            }
            #expect(spoiled == [row])
        }
        let start = try #require(bytes.indices.dropLast().first { bytes[$0] == 0xff && bytes[$0 + 1] == 0xda })
        // The segment of the start of the scan has 8 bytes without its marker.
        let empty = file.data.prefix(start + 10) + markers.flatMap { bytes[$0...$0 + 1] } + [0xff, 0xd9]
        #expect(throws: CodecError.truncated(.jpeg)) { try decode(empty) }
        #expect(throws: CodecError.truncated(.jpeg)) { try decode(file.data.prefix(markers[3] - 20)) }
    }

    @Test("data that end at a restart marker spoil their interval in every scan of a file")
    func shortIntervalsOfScans() throws {
        func scanStart(_ bytes: [UInt8]) throws -> Int {
            try #require(bytes.indices.dropLast().first { bytes[$0] == 0xff && bytes[$0 + 1] == 0xda })
        }
        var file = RandomJPEG(width: 64, height: 64, sampling: [(1, 1), (1, 1), (1, 1)])
        file.restartInterval = 8
        var data = try file.data.prefix(scanStart([UInt8](file.data)))
        for component in 1...3 {
            var part = RandomJPEG(width: 64, height: 64, sampling: [(1, 1)])
            (part.restartInterval, part.seed) = (8, UInt64(component))
            let bytes = [UInt8](part.data)
            // The segment of the start of the scan has 8 bytes without its marker.
            let start = try scanStart(bytes) + 10
            let isMarker = { bytes[$0] == 0xff && 0xd0...0xd7 ~= bytes[$0 + 1] }
            let marker = try #require((start..<bytes.count - 2).first(where: isMarker))
            data += JPEGBytes.segment(0xda, Data([1, UInt8(component), 0, 0, 63, 0]))
            data += bytes[start..<marker - 20] + bytes[marker..<bytes.count - 2]
        }
        data += [0xff, 0xd9]
        #expect(try shown(data).size == PixelSize(64, 64))
    }

    @Test("random damage ends in an image or a typed error", arguments: [1, 2, 3, 4] as [UInt64])
    func randomDamage(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let encoded = try JPEGEncoder().encode(Bitmap.sample(PixelSize(50, 38)), options: EncodeOptions())
        let files = [encoded, JPEGBytes(samples: [90, 140, 110], process: 0xc2).data]
        let limits = DecodeLimits(pixelCount: 1 << 18, memory: 8 << 20)
        for file in files {
            for _ in 0..<700 {
                let damaged = random.damage(file)
                do {
                    _ = try? decode(damaged, limits: limits)
                    _ = try decode(damaged, limits: limits, damage: .showsWhatIsThere)
                    _ = try decoder.info(of: damaged, limits: limits)
                } catch {
                    #expect(error is CodecError, "\(error)")
                }
            }
        }
    }

    private static let gray: [UInt8] = [128, 128, 128, 255]

    @Test("a file cut short shows the rows that are there, the rest is grey", arguments: [1, 2, 4, 8])
    func cutShort(eighths: Int) throws {
        let file = try JPEGEncoder().encode(TestImages.photo(64, 64), options: EncodeOptions())
        let decode = { try JPEGReduction.decode($0, eighths: eighths, damage: .showsWhatIsThere) }
        let (whole, part) = (try decode(file), try decode(file.prefix(file.count * 2 / 3)))
        #expect(!whole.isPartial && part.isPartial && part.size == whole.size)
        let last = part.size.height - 1
        for x in 0..<part.size.width {
            // Of a whole file, other code makes the reduced sizes.
            #expect(zip(part.bitmap[x, 0], whole.bitmap[x, 0]).allSatisfy { abs(Int($0) - Int($1)) <= 3 })
            #expect(part.bitmap[x, last] == Self.gray)
        }
        #expect(part.bitmap.isOpaque)
    }

    @Test("a file without a row of blocks is an error, however it is decoded")
    func noRow() throws {
        let file = RandomJPEG(width: 64, height: 64, sampling: [(1, 1)]).data
        let start = try #require(file.indices.dropLast().first { file[$0] == 0xff && file[$0 + 1] == 0xda }) + 10
        for count in [start - 20, start, start + 8] {
            #expect(throws: CodecError.truncated(.jpeg)) { try shown(file.prefix(count)) }
        }
        let low = JPEGBytes(width: 64, height: 8)
        #expect(throws: CodecError.truncated(.jpeg)) { try shown(low.header + low.firstScan.prefix(10)) }
        #expect(throws: CodecError.truncated(.jpeg)) { try shown(low.data.dropLast(4)) }
        #expect(try !shown(low.data.dropLast(2)).isPartial)
    }

    @Test("a progressive file cut short shows the scans that are there")
    func cutScans() throws {
        let file = JPEGBytes(width: 40, height: 24, samples: [148, 90, 200], process: 0xc2, detailScanCount: 3)
        let whole = try decode(file.data)
        for count in [file.header.count + file.firstScan.count, file.data.count - 20] {
            let part = try shown(file.data.prefix(count))
            #expect(part.isPartial && part.bitmap.rowBytes() == whole.bitmap.rowBytes())
        }
    }

    @Test("a segment between scans that makes no sense ends the image")
    func wrongSegment() throws {
        let file = JPEGBytes(process: 0xc2)
        let wrong = JPEGBytes.segment(0xc4, Data(repeating: 0xff, count: 30))
        let data = file.header + file.firstScan + wrong + file.detailScans + [0xff, 0xd9]
        #expect(throws: CodecError.self) { try decode(data) }
        let part = try shown(data)
        let whole = try decode(file.data)
        #expect(part.isPartial && part.bitmap[0, 0] == whole.bitmap[0, 0])
    }

    @Test(
        "a second frame header ends the image, and changes nothing of what is there",
        arguments: [0, 1, 2, 3, 4, 10, 255] as [UInt8],
        [0xc0, 0xc2, 0xc9] as [UInt8]
    )
    func secondFrame(componentCount: UInt8, marker: UInt8) throws {
        let file = JPEGBytes(width: 40, height: 24, samples: [148, 90, 200], process: 0xc2, detailScanCount: 3)
        let start = file.header + file.firstScan
        let components = (0..<componentCount).flatMap { [$0 &+ 1, 0x11, 0] as [UInt8] }
        let frame = JPEGBytes.segment(marker, Data([8, 1, 0, 2, 0, componentCount] + components))
        let data = start + frame + file.detailScans + [0xff, 0xd9]
        #expect(throws: CodecError.self) { try decode(data) }
        let expected = try shown(start).bitmap.rowBytes()
        let part = try shown(data)
        #expect(part.isPartial && part.size == PixelSize(40, 24) && part.bitmap.rowBytes() == expected)
        let scans = start + file.detailScans
        #expect(try preview(of: scans + frame.prefix(12)) == preview(of: scans + frame.prefix(2)))
    }

    /// What is shown of a file that has arrived in part.
    private func preview(of bytes: Data) throws -> [UInt8] {
        let decoder = IncrementalDecoder()
        try decoder.append(bytes)
        while try decoder.advance() {}
        return try #require(try decoder.image()).bitmap.rowBytes()
    }

    @Test("wrong codes make an image partial, oddities that change no pixel do not")
    func oddities() throws {
        let file = JPEGBytes(height: 64)
        let scan = JPEGBytes.segment(0xda, Data([1, 1, 0, 0, 63, 0]))
        let wrong = Data(repeating: 0xf0, count: 6) + Data(count: 400)
        #expect(try shown(file.header + scan + wrong + [0xff, 0xd9]).isPartial)
        let jfif = JPEGBytes.segment(0xe0, Data("JFIF\0".utf8) + [9, 9, 0, 0, 1, 0, 1, 0, 0])
        let odd = [
            file.data.dropLast(2), file.data.prefix(2) + [1, 2, 3] + file.data.dropFirst(2),
            file.data.prefix(2) + jfif + JPEGBytes.adobe(transform: 7) + file.data.dropFirst(2),
            file.data + [1, 2, 3],
        ]
        let whole = try decode(file.data).bitmap.rowBytes()
        for data in odd {
            let image = try shown(data)
            #expect(!image.isPartial && image.bitmap.rowBytes() == whole)
        }
    }

    @Test("application segments and comments whose length is below 2 are passed over", arguments: [0, 1] as [UInt8])
    func shortSegments(length: UInt8) throws {
        let file = JPEGBytes().data
        let data = file.prefix(2) + [0xff, 0xe5, 0, length, 0xff, 0xfe, 0, length] + file.dropFirst(2)
        #expect(try decode(data).bitmap.rowBytes() == decode(file).bitmap.rowBytes())
    }

    @Test("scans that are too many for the size of the image cost nothing, and leave it partial")
    func scanBudget() throws {
        let header = JPEGBytes(width: 4_096, height: 4_096, process: 0xc2).header
        let first = JPEGBytes.segment(0xda, Data([1, 1, 0, 0, 0, 0]))
        let detail = JPEGBytes.segment(0xda, Data([1, 1, 0, 1, 63, 0]))
        let counts = try [100, 200, 400].map { count in
            let data = (0..<count).reduce(header + first) { data, _ in data + detail } + [0xff, 0xd9]
            let questions = QuestionCounter(cancelledFrom: .max)
            let image = try decoder.decode(data, options: DecodeOptions(), isCancelled: questions.ask)
            #expect(image.isPartial)
            #expect(throws: CodecError.self) { try decode(data) }
            return questions.count
        }
        #expect(counts[1] == counts[0] && counts[2] == counts[0])
    }

    @Test("a file of tiny segments or stray bytes is refused before it costs time")
    func countlessSegments() {
        var segments = Data()
        for _ in 0..<70_000 { segments += [0xff, 0xfe, 0, 2] }
        for extra in [segments, Data(repeating: 7, count: 2 << 20), Data(repeating: 0xff, count: 2 << 20)] {
            let file = JPEGBytes().data.prefix(2) + extra
            let error = #expect(throws: CodecError.self) { try decoder.info(of: file, limits: .standard) }
            guard case .corrupt(.jpeg, let reason) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(reason.hasPrefix("more than"))
        }
    }
}
