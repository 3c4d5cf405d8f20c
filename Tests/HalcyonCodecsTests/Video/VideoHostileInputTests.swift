import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonVideo

@Suite("Videos that are damaged or ask for too much")
struct VideoHostileInputTests {
    private func decode(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws -> DecodedImage {
        try ImageCodecs.all.decode(data, options: options)
    }

    /// Any ``CodecError`` is an answer, and so is an image of the size that the file has.
    private func attempt(_ data: Data, _ frame: VideoFrame, _ comment: Comment) throws {
        let limits = DecodeLimits(pixelCount: 1 << 20, frameCount: 200, memory: 64 << 20)
        do {
            let image = try decode(data, DecodeOptions(limits: limits, videoFrame: frame))
            #expect(image.size.area <= limits.pixelCount, comment)
        } catch is CodecError {}
    }

    @Test("files cut off anywhere give a frame or a typed error", arguments: VideoFixture.texts.keys.sorted())
    func truncation(name: String) throws {
        #expect(throws: CodecError.empty) { try decode(Data()) }
        let file = VideoFixture.data(name)
        for length in stride(from: 1, to: file.count, by: file.count > 2_000 ? 17 : 3) {
            try attempt(file.prefix(length), VideoFrame(), "\(length)")
            try attempt(file.prefix(length), VideoFrame(at: .seconds(1.7), tolerance: .exact), "\(length)")
        }
    }

    @Test("a movie without its header is truncated")
    func missingHeader() throws {
        let file = VideoFixture.data("keys.mp4")
        let start = try #require(file.firstRange(of: Data("moov".utf8))).lowerBound - 4
        #expect(throws: CodecError.truncated(.mp4)) { try decode(file.prefix(start)) }
        #expect(throws: CodecError.truncated(.mp4)) { try ImageCodecs.all.info(of: file.prefix(start)) }
    }

    @Test("files with single bytes changed give a frame or a typed error", arguments: VideoFixture.texts.keys.sorted())
    func changes(name: String) throws {
        let file = VideoFixture.data(name)
        var random = SeededRandom(seed: 7)
        for index in 0..<240 {
            var data = file
            let offset = Int.random(in: 0..<(index % 2 == 0 ? min(600, file.count) : file.count), using: &random)
            data[offset] = UInt8.random(in: 0...255, using: &random)
            let frame = VideoFrame(at: .seconds(Double(index % 4)), tolerance: .allCases[index % 4])
            try attempt(data, index % 3 == 0 ? VideoFrame() : frame, "\(offset)")
        }
    }

    @Test("frames beyond the limits are refused before decoding; the header tells their size")
    func limits() throws {
        let (data, size) = (VideoFixture.data("keys.mp4"), PixelSize(32, 16))
        let cases: [(DecodeLimits, CodecError.Limit)] = [
            (DecodeLimits(pixelCount: 511), .pixelCount(size, maximum: 511)),
            (DecodeLimits(sideLength: 31), .sideLength(size, maximum: 31)),
            (DecodeLimits(memory: 4_000), .memory(512 * 16 + 2 * 2_048, maximum: 4_000)),
        ]
        for (limits, limit) in cases {
            #expect(throws: CodecError.limitExceeded(.mp4, limit)) { try decode(data, DecodeOptions(limits: limits)) }
            #expect(try ImageCodecs.all.info(of: data, limits: limits).size == size)
        }
        #expect(throws: CodecError.noSuchFrame(1, frameCount: 1)) { try decode(data, DecodeOptions(frame: 1)) }
    }

    @Test("no more frames are decoded than the limits allow")
    func frames() throws {
        let data = VideoFixture.data("keys.mp4")
        let late = VideoFrame(at: .seconds(2.9), tolerance: .exact)
        let few = DecodeLimits(frameCount: 2)
        #expect(throws: CodecError.limitExceeded(.mp4, .frameCount(2, maximum: 2))) {
            try decode(data, DecodeOptions(limits: few, videoFrame: late))
        }
        #expect(try VideoFixture.number(of: decode(data, DecodeOptions(limits: few))) == 0)
    }

    @Test("a movie whose tables count more samples than any video is refused before memory is taken")
    func tables() throws {
        let file = VideoFixture.data("keys.mp4")
        var data = file
        let box = try #require(data.firstRange(of: Data("stsz".utf8)))
        // All samples of one byte, 2^28 of them.
        data.replaceSubrange(box.upperBound + 4..<box.upperBound + 12, with: [0, 0, 0, 1, 16, 0, 0, 0])
        #expect(throws: CodecError.unsupported(.mp4, reason: "268435456 samples are more than any video has")) {
            try decode(data)
        }
        let header = try #require(file.firstRange(of: Data("trak".utf8)))
        var compressed = file
        compressed.replaceSubrange(header, with: Array("cmov".utf8))
        #expect(throws: CodecError.unsupported(.mp4, reason: "its header is compressed")) { try decode(compressed) }
        var fragment = Data([0, 0, 0, 40] + Array("moof".utf8) + [0, 0, 0, 32] + Array("traf".utf8))
        fragment += [0, 0, 0, 24] + Array("trun".utf8) + [0, 0, 0, 0, 127, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(throws: CodecError.unsupported(.mp4, reason: "2130706432 samples are more than any video has")) {
            try decode(file + fragment)
        }
    }

    @Test("the header of a movie reads few of its samples, and no table beyond its box")
    func headerTables() throws {
        let file = HiddenTable.plain.file(sampleCount: 1_000_000)
        let counts = { (extent: VideoSampleTables.Extent) in
            try file.withUnsafeBytes { bytes -> [Int] in
                let bytes = VideoBytes(bytes)
                let findings = try VideoSampleTables.check(bytes, of: .mp4, extent: extent, isCancelled: { false })
                bytes.substitute(findings.substitutes)
                return try findings.substitutes.map {
                    try ByteReader(bytes.bytes(at: $0.offset, count: 4)).uint32(at: 0) ?? 0
                }
            }
        }
        #expect(try counts(.frames).isEmpty)
        #expect(try counts(.header) == [1 << 14])
        #expect(try ImageCodecs.all.info(of: file).size == PixelSize(32, 16))
        // Tables with an entry for each sample.
        var boxes = MovieBox.boxes(VideoFixture.data("keys.mp4"))
        for index in boxes.indices {
            boxes[index].edit { box in
                guard ["stco", "stss", "stsc", "stts"].contains(box.type) else { return box }
                let columnCount = box.type == "stts" ? 2 : box.type == "stsc" ? 3 : 1
                return MovieBox(box.type, numbers: [0, 20_000] + [Int](repeating: 1, count: 20_000 * columnCount))
            }
        }
        let tables = boxes.reduce(into: Data()) { $0 += $1.data }
        let found = try tables.withUnsafeBytes {
            try VideoSampleTables.check(VideoBytes($0), of: .mp4, extent: .header, isCancelled: { false })
        }
        #expect(found.substitutes.map(\.value) == [1 << 14, 1 << 14, 1 << 14])
        // A table of times that claims to have more entries than bytes.
        var long = VideoFixture.data("keys.mp4")
        let table = try #require(long.firstRange(of: Data("stts".utf8)))
        long.replaceSubrange(table.upperBound + 4..<table.upperBound + 8, with: [0x7f, 0, 0, 0])
        let findings = try long.withUnsafeBytes {
            try VideoSampleTables.check(VideoBytes($0), of: .mp4, isCancelled: { false })
        }
        #expect(findings.substitutes.map(\.offset) == [table.upperBound + 4 - long.startIndex])
        #expect(findings.substitutes.allSatisfy { $0.value <= 12 })
    }

    @Test("numbers take the place of others, wherever a piece of the file begins or ends")
    func substitutes() throws {
        let data = Data(0..<20)
        try data.withUnsafeBytes { (bytes) throws in
            let bytes = VideoBytes(bytes)
            bytes.substitute([.init(offset: 12, value: 0x0102_0304), .init(offset: 3, value: 0xf1f2_f3f4)])
            let expected = Data([0, 1, 2, 0xf1, 0xf2, 0xf3, 0xf4, 7, 8, 9, 10, 11, 1, 2, 3, 4, 16, 17, 18, 19])
            for start in 0..<20 {
                for count in 0...20 - start {
                    #expect(try bytes.bytes(at: start, count: count) == expected[start..<start + count])
                }
            }
        }
    }

    @Test("the work for boxes grows with their number")
    func linearWork() throws {
        let file = VideoFixture.data("keys.mp4")
        let counts = try [4_000, 8_000, 16_000].map { count in
            let data = file + Data((0..<count).flatMap { _ in FragmentIndex.box("free", Data()) })
            let questions = QuestionCounter(cancelledFrom: .max)
            try data.withUnsafeBytes {
                _ = try VideoSampleTables.check(VideoBytes($0), of: .mp4, isCancelled: questions.ask)
            }
            return questions.count
        }
        #expect(counts[0] > 10 && counts[1] <= 2 * counts[0] + 2 && counts[2] <= 2 * counts[1] + 2)
    }

    @Test("no more samples are counted than there is memory for")
    func samplesAndMemory() {
        let file = HiddenTable.plain.file(sampleCount: 1_000_000)
        file.withUnsafeBytes { bytes in
            let limits = DecodeLimits(memory: 32 << 20)
            #expect(throws: CodecError.self) {
                _ = try VideoSampleTables.check(VideoBytes(bytes), of: .mp4, limits: limits, isCancelled: { false })
            }
        }
    }

    @Test("places of fragments that come in the wrong order are few, and so are those by the number of tracks")
    func fragmentOrder() throws {
        func check(_ places: some Sequence<Int>) throws {
            let file = VideoFixture.data("keys.mp4")
            // Each beyond the end, where no box is read.
            let data = places.reduce(into: file) { $0 += FragmentIndex.segments([$1], version: 0) }
            try data.withUnsafeBytes {
                _ = try VideoSampleTables.check(VideoBytes($0), of: .mp4, isCancelled: { false })
            }
        }
        try check((0..<12_000).map { 1_000_000 + 1_000 * $0 })
        #expect(throws: CodecError.self) { try check((0..<12_000).map { 100_000_000 - 1_000 * $0 }) }
    }

    /// Returns a movie whose header, its last box, has a track so many times more.
    private func repeatingTrack(_ count: Int) throws -> Data {
        let file = VideoFixture.data("keys.mp4")
        func box(_ type: String) throws -> Range<Int> {
            let start = try #require(file.firstRange(of: Data(type.utf8))).lowerBound - 4
            return start..<start + file[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        let (header, track) = (try box("moov"), file[try box("trak")])
        try #require(header.upperBound == file.count)
        let content = file[header].dropFirst(8) + Data(repeatElement(track, count: count).joined())
        return file[..<header.lowerBound] + FragmentIndex.box("moov", content)
    }

    @Test("a movie with more tracks than libavformat is told to take is refused before it is opened")
    func countlessTracks() throws {
        let questions = QuestionCounter(cancelledFrom: .max)
        let file = try repeatingTrack(20_000)
        #expect(throws: CodecError.unsupported(.mp4, reason: "65 tracks are more than any video has")) {
            try file.withUnsafeBytes {
                _ = try VideoSampleTables.check(VideoBytes($0), of: .mp4, isCancelled: questions.ask)
            }
        }
        #expect(questions.count < 10)
    }

    @Test("the streams of a movie are examined within the memory limit, however many they are")
    func manyTracks() throws {
        let memory = DecodeLimits(memory: 64 << 20)
        #expect(VideoReader.examinedPixelCount(memory) == 4 << 20)
        #expect(VideoReader.examinedPixelCount(DecodeLimits(pixelCount: 511)) == 511)
        // Eight more tracks of the same frames, of which the first is shown.
        #expect(try VideoFixture.number(of: decode(repeatingTrack(8), DecodeOptions(limits: memory))) == 0)
    }

    @Test("an index of fragments leads to boxes of the file alone")
    func fragmentIndexes() throws {
        let check = { (data: Data) in
            try data.withUnsafeBytes {
                _ = try VideoSampleTables.check(VideoBytes($0), of: .mp4, isCancelled: { false })
            }
        }
        let hidden = CodecError.corrupt(.mp4, reason: "an index of fragments leads into a box")
        let file = VideoFixture.data("keys.mp4")
        // Behind the index stands a box of 24 bytes, in which another one is hidden.
        let tail = FragmentIndex.box("mdat", FragmentIndex.box("moof", Data(count: 8)))
        for version in [0, 1] {
            for place in [0, tail.count, tail.count + 1_000] {
                try check(file + FragmentIndex.segments([place], version: version) + tail)
                try check(file + tail + FragmentIndex.randomAccess([file.count + place], version: version))
            }
            for place in [8, tail.count - 1] {
                let segments = FragmentIndex.segments([0, place], version: version)
                #expect(throws: hidden) { try check(file + segments + tail) }
                let access = FragmentIndex.randomAccess([file.count, file.count + place], version: version)
                #expect(throws: hidden) { try check(file + tail + access) }
                // Found by its last bytes, also within another box.
                #expect(throws: hidden) { try check(file + tail + FragmentIndex.box("free", access)) }
            }
        }
        #expect(throws: hidden) { try check(file + FragmentIndex.segments([-8], version: 1) + tail) }
        let segments = FragmentIndex.segments([0], version: 0)
        #expect(throws: CodecError.truncated(.mp4)) { try check(file + segments.dropLast()) }
        let endless = FragmentIndex.randomAccess([file.count], version: 0, count: 1 << 30)
        #expect(throws: CodecError.self) { try check(file + endless) }
    }

    @Test("a table that counts too much is found wherever it is read", arguments: HiddenTable.allCases)
    func hiddenTables(place: HiddenTable) throws {
        let file = place.file(sampleCount: 1 << 26)
        #expect(throws: CodecError.self) {
            try file.withUnsafeBytes {
                _ = try VideoSampleTables.check(VideoBytes($0), of: .mp4, isCancelled: { false })
            }
        }
    }

    @Test("edits that leave out more samples than can be searched, or repeat too many, do not count")
    func edits() throws {
        let findings = { (data: Data) in
            try data.withUnsafeBytes {
                try VideoSampleTables.check(VideoBytes($0), of: .mp4, isCancelled: { false }).hasTooManyEdits
            }
        }
        for name in ["keys.mp4", "keys.mov", "covered.mp4", "sound.mp4"] {
            #expect(try !findings(VideoFixture.data(name)), "\(name)")
        }
        // One edit shows a second of a million samples, of which few are key frames.
        #expect(try findings(HiddenTable.plain.file(sampleCount: 1_000_000)))
        #expect(try !findings(HiddenTable.plain.file(sampleCount: 20_000)))
        let late = VideoFrame(at: .seconds(1.2), tolerance: .exact)
        try attempt(HiddenTable.plain.file(sampleCount: 1_000_000), late, "one key frame")
    }

    @Test("frames without a limit of their number are decoded")
    func unlimited() throws {
        let limits = DecodeLimits(frameCount: .max)
        #expect(try VideoFixture.number(of: decode(VideoFixture.data("keys.mp4"), DecodeOptions(limits: limits))) == 0)
    }

    @Test("a video whose first frame is opaque shows what is transparent in others")
    func laterAlpha() throws {
        // More colours than a palette has.
        var opaque = try TestImages.bitmap(24, 24) { x, y in (10 * x, 10 * y, 100, 255) }
        let clear = try TestImages.bitmap(24, 24) { x, y in (10 * x, 10 * y, 200, x < 12 ? 255 : 0) }
        opaque.isOpaque = true
        let frames = try [opaque, opaque, clear, clear].map { try ImageCodecs.all.encode($0, as: .png) }
        let file = AVIFile.pictures(frames, size: PixelSize(24, 24))
        let early = VideoFrame(at: .seconds(0), tolerance: .exact)
        let late = VideoFrame(at: .seconds(3), tolerance: .exact)
        let before = try decode(file, DecodeOptions(videoFrame: early))
        #expect(before.bitmap.isOpaque && !before.info.hasAlpha)
        let after = try decode(file, DecodeOptions(videoFrame: late))
        #expect(!after.bitmap.isOpaque && after.info.hasAlpha)
        #expect(after.bitmap.pixel(2, 3) == (20, 30, 200, 255))
        #expect(after.bitmap.pixel(20, 3) == (0, 0, 0, 0))
    }

    @Test("a cancelled decoding ends at each question, with nothing else", arguments: ["keys.mp4", "keys.ts"])
    func cancellation(name: String) throws {
        let options = DecodeOptions(videoFrame: VideoFrame(at: .seconds(2.9), tolerance: .exact))
        let data = VideoFixture.data(name)
        let all = QuestionCounter(cancelledFrom: .max)
        _ = try ImageCodecs.all.decode(data, options: options, isCancelled: all.ask)
        #expect(all.count > 4)
        for question in 1...all.count {
            let counter = QuestionCounter(cancelledFrom: question)
            #expect(throws: CancellationError.self, "\(question)") {
                try ImageCodecs.all.decode(data, options: options, isCancelled: counter.ask)
            }
        }
    }

    @Test("a file that names others, such as a playlist, is no video")
    func playlists() {
        for text in ["#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n", "ffconcat version 1.0\nfile /etc/passwd\n"] {
            #expect(throws: CodecError.unknownFormat(detected: "text")) { try decode(Data(text.utf8)) }
        }
    }
}
