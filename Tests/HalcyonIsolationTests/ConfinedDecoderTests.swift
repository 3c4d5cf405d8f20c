import FoundationEssentials
import Glibc
import HalcyonFormats
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonIsolation

@Suite("An image that is decoded in a worker")
struct ConfinedDecoderTests {
    private static let formats: [ImageFormat] = [.jpeg, .png, .webp, .gif, .avif, .bmp, .qoi, .tiff, .jxl, .svg]

    @Test("is the one that the program decodes", arguments: formats)
    func same(format: ImageFormat) throws {
        let trial = try DecodingTrial()
        let data = try DecodingTrial.file(of: format)
        for options in [
            DecodeOptions(), DecodeOptions(targetSize: PixelSize(10, 6), color: .asStored),
            DecodeOptions(appliesOrientation: false, largestSideLength: 16),
        ] {
            let image = try trial.codecs().decode(data, options: options)
            expectEqual(image, try DecodingTrial.codecs.decode(data, options: options))
        }
        #expect(try trial.codecs().info(of: data) == DecodingTrial.codecs.info(of: data))
        #expect(try trial.codecs().metadata(of: data) == DecodingTrial.codecs.metadata(of: data))
        #expect(trial.reports.withLock { $0 }.isEmpty)
    }

    @Test("is scaled by the worker to the size that is asked for", arguments: formats)
    func scaledToTarget(format: ImageFormat) throws {
        let trial = try DecodingTrial()
        let data = try DecodingTrial.file(of: format)
        for color in [ColorHandling.sRGB, .asStored] {
            var options = DecodeOptions(targetSize: PixelSize(11, 7), color: color)
            options.scaledFullSize = try DecodingTrial.codecs.info(of: data).displaySize
            let image = try trial.codecs().decode(data, options: options)
            expectEqual(image, try DecodingTrial.codecs.decode(data, options: options))
            options.scaledFullSize = nil
            let whole = try DecodingTrial.codecs.decode(data, options: options)
            let expected = whole.replacingBitmap(try whole.bitmap.resampled(to: PixelSize(11, 7)))
            #expect(image.size == expected.size && image.samples == expected.samples)
            #expect(image.fullSize == whole.fullSize)
            options.scaledFullSize = whole.fullSize
            options.targetSize = PixelSize(200, 100)
            let enlarged = try trial.codecs().decode(data, options: options)
            #expect(format == .svg || enlarged.bitmap.size == whole.fullSize)
        }
    }

    @Test("is passed on as it is where the limits have no memory to scale it as well")
    func tooLittleMemoryToScale() throws {
        let trial = try DecodingTrial()
        let data = try DecodingTrial.file(of: .bmp)
        var options = DecodeOptions(targetSize: PixelSize(60, 36))
        options.scaledFullSize = PixelSize(61, 37)
        #expect(try trial.codecs().decode(data, options: options).size == PixelSize(60, 36))
        // The pixels, with rows of a multiple of 64 bytes, and not those of the result.
        options.limits.memory = 12_000
        #expect(try trial.codecs().decode(data, options: options).size == PixelSize(61, 37))
    }

    @Test("has 16 bits a sample where they are asked for")
    func sixteenBits() throws {
        let trial = try DecodingTrial()
        let data = try DecodingTrial.codecs.encode(DecodingTrial.picture(depth: .sixteen), as: .png)
        let options = DecodeOptions(keepsSixteenBits: true)
        let image = try trial.codecs().decode(data, options: options)
        #expect(image.bitmap.depth == .sixteen)
        expectEqual(image, try DecodingTrial.codecs.decode(data, options: options))
    }

    @Test("is larger than the buffer of a worker")
    func large() throws {
        let trial = try DecodingTrial()
        let data = try DecodingTrial.codecs.encode(DecodingTrial.picture(PixelSize(2_000, 1_500)), as: .jpeg)
        expectEqual(try trial.codecs().decode(data), try DecodingTrial.codecs.decode(data))
    }

    @Test("fails as it does in the program")
    func errors() throws {
        let trial = try DecodingTrial()
        let whole = try DecodingTrial.file(of: .jpeg)
        let cases: [(Data, DecodeOptions)] = [
            (whole.prefix(whole.count / 2), DecodeOptions(damage: .isRefused)),
            (whole, DecodeOptions(limits: DecodeLimits(pixelCount: 10))),
            (whole, DecodeOptions(limits: DecodeLimits(sideLength: 10))),
            (whole, DecodeOptions(limits: DecodeLimits(memory: 10))),
            (whole, DecodeOptions(frame: 3)),
            (Data("<html>".utf8), DecodeOptions()), (Data(), DecodeOptions()),
            (Data("<svg xmlns='http://www.w3.org/2000/svg'><g".utf8), DecodeOptions(damage: .isRefused)),
        ]
        for (data, options) in cases {
            let expected = #expect(throws: CodecError.self) { try DecodingTrial.codecs.decode(data, options: options) }
            let error = #expect(throws: CodecError.self) { try trial.codecs().decode(data, options: options) }
            #expect(error == expected)
        }
    }

    @Test("shows what is there of a file that is cut short")
    func partial() throws {
        let trial = try DecodingTrial()
        let whole = try DecodingTrial.codecs.encode(DecodingTrial.picture(PixelSize(300, 200)), as: .jpeg)
        let image = try trial.codecs().decode(whole.prefix(whole.count * 3 / 4))
        #expect(image.isPartial)
        expectEqual(image, try DecodingTrial.codecs.decode(whole.prefix(whole.count * 3 / 4)))
    }

    @Test("has its colours converted there", arguments: [ImageFormat.png, .jpeg])
    func colors(format: ImageFormat) throws {
        let trial = try DecodingTrial()
        let profile = try #require(ICCProfileWriter.profile(primaries: 9, transfer: 13))
        var options = EncodeOptions(quality: 95)
        options.colorProfile = .icc(profile)
        let data = try DecodingTrial.codecs.encode(DecodingTrial.picture(), as: format, options: options)
        expectEqual(try trial.codecs().decode(data), try DecodingTrial.codecs.decode(data))
        let stored = DecodeOptions(color: .asStored)
        let image = try trial.codecs().decode(data, options: stored)
        #expect(image.colorProfile == .icc(profile))
        expectEqual(image, try DecodingTrial.codecs.decode(data, options: stored))
    }

    @Test("is cancelled")
    func cancelled() throws {
        let trial = try DecodingTrial()
        let data = try DecodingTrial.codecs.encode(DecodingTrial.picture(PixelSize(3_000, 2_000)), as: .jpeg)
        #expect(throws: CancellationError.self) { try trial.codecs().decode(data, isCancelled: { true }) }
        expectEqual(try trial.codecs().decode(data), try DecodingTrial.codecs.decode(data))
    }

    @Test("has a worker of its scope, which holds no image of another")
    func scope() throws {
        let trial = try DecodingTrial { $0.idleCount = 4 }
        let data = try DecodingTrial.file(of: .jpeg)
        _ = try trial.codecs(scope: "a").decode(data)
        _ = try trial.codecs(scope: "a").decode(data)
        let first = trial.pool.idleProcesses
        #expect(first.count == 1)
        _ = try trial.codecs(scope: "b").decode(data)
        #expect(trial.pool.idleProcesses.count == 2)
    }

    // MARK: Policies

    @Test("is one that a library decodes, unless all are to be")
    func preferred() throws {
        let trial = try DecodingTrial()
        for format in [ImageFormat.png, .gif, .bmp, .qoi] {
            _ = try trial.codecs(.preferred).decode(DecodingTrial.file(of: format))
        }
        #expect(!trial.pool.hasStarted)
        // Its header is read by this package's own code.
        _ = try trial.codecs(.preferred).info(of: DecodingTrial.file(of: .jpeg))
        #expect(!trial.pool.hasStarted)
        _ = try trial.codecs(.preferred).decode(DecodingTrial.file(of: .jpeg))
        #expect(trial.pool.hasStarted)
    }

    @Test("is a drawing also where the program decodes the others")
    func drawings() throws {
        let trial = try DecodingTrial()
        _ = try trial.codecs(.none).decode(DecodingTrial.file(of: .jpeg))
        #expect(!trial.pool.hasStarted)
        _ = try trial.codecs(.none).decode(DecodingTrial.drawing)
        #expect(trial.pool.hasStarted)
    }

    @Test("is a drawing with text, for which nothing in the process that forks workers has started a thread")
    func textOfDrawings() throws {
        let trial = try DecodingTrial()
        let drawings = ["serif", "sans-serif", "monospace", "cursive"].map { family in
            Data(
                """
                <svg xmlns="http://www.w3.org/2000/svg" width="60" height="20">
                <text y="15" font-family="\(family)" font-size="14">Ålég</text></svg>
                """.utf8
            )
        }
        for drawing in drawings {
            expectEqual(try trial.codecs().decode(drawing), try DecodingTrial.codecs.decode(drawing))
        }
        let zygote = try #require(trial.pool.zygoteProcess(for: .drawings))
        #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/\(zygote)/task").count == 1)
    }

    @Test("draws the images that a drawing embeds", arguments: [ImageFormat.png, .jpeg, .gif, .bmp, .svg])
    func embeddedImages(format: ImageFormat) throws {
        let trial = try DecodingTrial()
        let text = try DecodingTrial.file(of: format).base64EncodedString()
        let drawing = Data(
            """
            <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="20" height="20">
            <image width="20" height="20" xlink:href="data:image/\(format.rawValue);base64,\(text)"/></svg>
            """.utf8
        )
        let inProgram = try DecodingTrial.codecs.decode(drawing)
        #expect(inProgram.bitmap.withUnsafeBytes { $0.contains { $0 != 0 } })
        expectEqual(try trial.codecs().decode(drawing), inProgram)
    }

    @Test("reads drawings in the languages of the program")
    func languages() {
        let environment = ZygoteConnection.environment { name in
            ["LANG": "de_DE.UTF-8", "LANGUAGE": "de:en", "PATH": "/bin", "LD_PRELOAD": "/a.so"][name]
        }
        #expect(environment.sorted() == ["LANG=de_DE.UTF-8", "LANGUAGE=de:en", "SWIFT_BACKTRACE=enable=no"])
    }

    @Test("is decoded in the program, and reported, where there is no worker")
    func unavailable() throws {
        let trial = try DecodingTrial { $0.program = { nil } }
        let data = try DecodingTrial.file(of: .jpeg)
        expectEqual(try trial.codecs(.preferred).decode(data), try DecodingTrial.codecs.decode(data))
        #expect(trial.reports.withLock { $0 } == [.jpeg])
        _ = try trial.codecs(.none).decode(DecodingTrial.drawing)
        #expect(trial.reports.withLock { $0 } == [.jpeg, .svg])
    }

    @Test("is not decoded at all where a worker is required and there is none")
    func required() throws {
        let trial = try DecodingTrial { $0.program = { nil } }
        for format in [ImageFormat.png, .jpeg] {
            let error = #expect(throws: CodecError.self) {
                try trial.codecs(.required(.process)).decode(DecodingTrial.file(of: format))
            }
            guard case .isolation(.unavailable)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        #expect(trial.reports.withLock { $0 }.isEmpty)
    }

    @Test("is not decoded where the protection is not to be had")
    func notReached() throws {
        let trial = try DecodingTrial { $0.steps = .process }
        let error = #expect(throws: CodecError.self) {
            try trial.codecs(.required(.all)).decode(DecodingTrial.file(of: .png))
        }
        guard case .isolation(.notReached(.all, let report))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(report.reached == .process)
    }

    @Test("is decoded in the program also after several workers ended before they were ready")
    func neverReady() throws {
        let trial = try DecodingTrial {
            $0.program = { "/bin/false" }
            $0.pause = { _ in }
        }
        let data = try DecodingTrial.file(of: .jpeg)
        for _ in 0..<8 { _ = try trial.codecs(.preferred).decode(data) }
        #expect(trial.reports.withLock { $0.count } == 8 && !trial.pool.hasStarted)
    }

    @Test("is decoded as the stricter of two isolations says, whichever comes last")
    func stricter() throws {
        let trial = try DecodingTrial()
        let data = try DecodingTrial.file(of: .png)
        let strict = trial.codecs(.required(.process))
        _ = try strict.isolated(.none).decode(data)
        #expect(trial.pool.hasStarted)
        let error = #expect(throws: CodecError.self) {
            try ImageCodecs(decoders: [OneColor()]).isolated(.preferred)
                .isolated(WorkerIsolation(.required(.process), pool: trial.pool)).decode(Data("one".utf8))
        }
        guard case .isolation? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("is not decoded in the program for a worker that says it has no decoder")
    func impostor() throws {
        // A decoder that it does have, for bytes of another format: a fault of the file is one.
        let trial = try DecodingTrial()
        _ = try trial.codecs(.preferred).decode(DecodingTrial.file(of: .jpeg))
        #expect(throws: NonsensicalAnswer.self) {
            try CodecError(record: [10, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 0], of: .jpeg)
        }
    }

    @Test("fails with the text of a decoder's own error, however many bytes a character has")
    func longReason() throws {
        let trial = try DecodingTrial()
        let name = "a" + String(repeating: "\u{301}", count: 9_000)
        let drawing = Data("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><\(name)></b></svg>".utf8)
        let options = DecodeOptions(damage: .isRefused)
        let expected = #expect(throws: CodecError.self) { try DecodingTrial.codecs.decode(drawing, options: options) }
        let error = #expect(throws: CodecError.self) { try trial.codecs().decode(drawing, options: options) }
        #expect(error?.code == expected?.code && trial.pool.idleProcesses.count == 1)
    }

    @Test("has a decoder of the program's own, which a worker does not have")
    func ownDecoder() throws {
        let trial = try DecodingTrial()
        let codecs = ImageCodecs(decoders: [OneColor()])
        func isolated(_ policy: DecodeIsolation) -> ImageCodecs {
            codecs.isolated(WorkerIsolation(policy, pool: trial.pool))
        }
        #expect(try isolated(.preferred).decode(Data("one".utf8)).size == PixelSize(1, 1))
        #expect(!trial.pool.hasStarted)
        let error = #expect(throws: CodecError.self) { try isolated(.required(.process)).decode(Data("one".utf8)) }
        guard case .isolation(.noDecoder(let type))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(type.contains("OneColor"))
    }

    // MARK: Animations

    @Test("is a frame of an animation, in any order", arguments: [ImageFormat.webp, .gif, .png, .avif])
    func frames(format: ImageFormat) throws {
        let trial = try DecodingTrial()
        let data = try DecodingTrial.animation(format)
        let reader = try trial.codecs().frames(of: data)
        let expected = try DecodingTrial.codecs.frames(of: data)
        #expect(reader.info == expected.info)
        for index in [0, 1, 2, 4, 3, 0, 4] {
            expectEqual(try reader.frame(at: index), try expected.frame(at: index))
        }
        #expect(trial.pool.idleProcesses.count == 1)
    }

    @Test("is a frame of an animation whose worker was ended meanwhile")
    func reopened() throws {
        let trial = try DecodingTrial()
        let data = try DecodingTrial.animation(.webp)
        let reader = try trial.codecs().frames(of: data)
        let expected = try DecodingTrial.codecs.frames(of: data)
        expectEqual(try reader.frame(at: 1), try expected.frame(at: 1))
        let process = try #require(trial.pool.idleProcesses.first)
        kill(process, SIGKILL)
        expectEqual(try reader.frame(at: 3), try expected.frame(at: 3))
        #expect(trial.pool.idleProcesses != [process])
    }

    @Test("is a frame of one of many animations, of which a worker keeps each")
    func manyAnimations() throws {
        let trial = try DecodingTrial { $0.sessionCount = 3 }
        let data = try DecodingTrial.animation(.webp)
        let expected = try DecodingTrial.codecs.frames(of: data)
        var readers = try (0..<5).map { _ in try trial.codecs().frames(of: data) }
        for index in 0..<5 {
            for reader in readers { expectEqual(try reader.frame(at: index), try expected.frame(at: index)) }
        }
        #expect(trial.pool.idleProcesses.count == 3)
        readers.removeAll()
        // Those that are free serve others.
        let processes = Set(trial.pool.idleProcesses)
        _ = try trial.codecs().decode(data)
        #expect(processes.isSuperset(of: trial.pool.idleProcesses))
    }

    // MARK: Images that arrive

    @Test(
        "is shown while its bytes arrive as it is in the program",
        arguments: [ImageFormat.jpeg, .png, .webp, .jxl, .gif]
    )
    func incremental(format: ImageFormat) throws {
        let trial = try DecodingTrial()
        let options = EncodeOptions(quality: 80, isProgressive: true)
        let data = try DecodingTrial.codecs.encode(
            DecodingTrial.picture(PixelSize(200, 150)),
            as: format,
            options: options
        )
        let decoder = IncrementalDecoder(codecs: trial.codecs())
        let expected = IncrementalDecoder(codecs: DecodingTrial.codecs)
        var rest = data
        while !rest.isEmpty {
            let piece = rest.prefix(700)
            rest = rest.dropFirst(700)
            for other in [decoder, expected] {
                try other.append(piece)
                if rest.isEmpty { other.end() }
                while try other.advance() {}
            }
            #expect(decoder.progress == expected.progress)
            #expect(decoder.matchesWholeDecoding == expected.matchesWholeDecoding)
            switch (try decoder.image(), try expected.image()) {
            case (let image?, let other?): expectEqual(image, other)
            case (nil, nil): break
            default: Issue.record("one has an image, and the other has none")
            }
        }
        #expect(decoder.progress.isComplete)
    }

    @Test("is not shown any more once the worker that has read a part of it was ended")
    func lostPart() throws {
        let trial = try DecodingTrial()
        let data = try DecodingTrial.codecs.encode(DecodingTrial.picture(PixelSize(300, 200)), as: .jpeg)
        let decoder = IncrementalDecoder(codecs: trial.codecs())
        try decoder.append(data.prefix(data.count / 2))
        while try decoder.advance() {}
        for process in trial.pool.idleProcesses { kill(process, SIGKILL) }
        try decoder.append(data.dropFirst(data.count / 2))
        #expect(throws: CodecError.self) { try decoder.advance() }
        expectEqual(try trial.codecs().decode(data), try DecodingTrial.codecs.decode(data))
    }
}

/// A decoder of the program's own.
private struct OneColor: ImageDecoder {
    var format: ImageFormat { ImageFormat(rawValue: "one") }

    func recognizes(_ prefix: Data) -> Bool { prefix.starts(with: Data("one".utf8)) }

    func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        ImageInfo(format: format, size: PixelSize(1, 1))
    }

    func decode(_ data: Data, options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        DecodedImage(bitmap: try Bitmap(size: PixelSize(1, 1)), info: try info(of: data, limits: .standard))
    }
}
