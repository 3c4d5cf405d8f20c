import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An image that was decoded while its bytes arrived")
struct SingleDecodingTests {
    private let url = Sample.url("image")

    private func decoder(observer: @escaping @Sendable (PassDecoder.Step) -> Void = { _ in }) -> PassDecoder {
        PassDecoder(observer: observer, matchesWholeDecoding: true)
    }

    /// Begins a load whose decoder has read two passes.
    private func begin(_ test: TestPipeline) async -> (task: ImageTask, transfer: ScriptedTransfer) {
        let task = test.pipeline.task(for: url, options: [.progressive])
        let transfer = await test.transport.nextTransfer()
        transfer.respond()
        transfer.send(PassDecoder.header + Data("--".utf8))
        await eventually { task.preview?.image.size.width == 2 }
        return (task, transfer)
    }

    @Test("is not decoded again, however its last bytes come", arguments: [["-."], ["-", "-", "."]])
    func once(rest: [String]) async throws {
        let decoder = decoder()
        let test = TestPipeline(codecs: decoder.codecs)
        let (task, transfer) = await begin(test)
        for piece in rest { transfer.send(Data(piece.utf8)) }
        transfer.finish()
        #expect(try await task.image.size.width == PassDecoder.fullWidth)
        #expect(decoder.decodeCount.withLock { $0 } == 0)
        // The decoder is released with the load.
        await eventually { test.pipeline.stages.progressive.work.count == 0 }
        #expect(test.pipeline.stages.progressive.decoders.count == 0)
    }

    @Test("is decoded again where it is not complete, or turns out to be damaged", arguments: ["-", "!"])
    func again(rest: String) async throws {
        let decoder = decoder()
        let test = TestPipeline(codecs: decoder.codecs)
        let (task, transfer) = await begin(test)
        transfer.send(Data(rest.utf8))
        transfer.finish()
        #expect(try await task.image.size.width == PassDecoder.fullWidth)
        #expect(decoder.decodeCount.withLock { $0 } == 1)
    }

    @Test("is decoded again where the decoder of arriving bytes may make another image")
    func other() async throws {
        let decoder = PassDecoder { _ in }
        let test = TestPipeline(codecs: decoder.codecs)
        let (task, transfer) = await begin(test)
        transfer.send(Data(".".utf8))
        transfer.finish()
        #expect(try await task.image.size.width == PassDecoder.fullWidth)
        #expect(decoder.decodeCount.withLock { $0 } == 1)
    }

    @Test("waits for the preview that its decoder is making")
    func busy() async throws {
        let (gate, reached) = (DispatchGate(), Gate())
        let decoder = decoder { step in
            guard step == .made(3) else { return }
            reached.open()
            gate.wait()
        }
        let test = TestPipeline(codecs: decoder.codecs)
        let (task, transfer) = await begin(test)
        transfer.send(Data("-".utf8))
        await reached.wait()
        transfer.send(Data(".".utf8))
        transfer.finish()
        gate.open()
        #expect(try await task.image.size.width == PassDecoder.fullWidth)
        #expect(decoder.decodeCount.withLock { $0 } == 0)
    }

    @Test("does not wait for a decoder that may make another image")
    func otherBusy() async throws {
        let (gate, reached) = (DispatchGate(), Gate())
        let decoder = PassDecoder { step in
            guard step == .made(3) else { return }
            reached.open()
            gate.wait()
        }
        let test = TestPipeline(workerCount: 2, codecs: decoder.codecs)
        let (task, transfer) = await begin(test)
        transfer.send(Data("-".utf8))
        await reached.wait()
        transfer.finish()
        #expect(try await task.image.size.width == PassDecoder.fullWidth)
        gate.open()
    }

    @Test("is the same as one that is decoded once all of it is there")
    func equality() async throws {
        let data = Sample.encoded(Sample.noise(300, 200), .webp)
        let whole = try ImageCodecs.standard.decode(data)
        let test = TestPipeline(codecs: .standard)
        let task = test.pipeline.task(for: url, options: [.progressive])
        let transfer = await test.transport.nextTransfer()
        transfer.respond()
        transfer.send(data.prefix(data.count / 2))
        await eventually { task.preview != nil }
        transfer.send(data.dropFirst(data.count / 2))
        transfer.finish()
        let image = try await task.image
        #expect(image.bitmap.hasSamePixels(as: whole.bitmap) && image.info == whole.info)
        #expect(image.fullSize == whole.fullSize && image.colorProfile == whole.colorProfile)
    }

    @Test("is made only by a decoder that has read the same bytes")
    func otherBytes() async throws {
        let report = BodyReport(ArrivingBytes(capacity: 0), number: 1, provenance: .data)
        let key = ProgressiveWorkKey(report, ImageOptions().applying([.progressive]))
        let decoding = ProgressiveDecoding(key, codecs: decoder().codecs, within: Budget(limit: 1 << 20))
        let body = PassDecoder.header + Data("--".utf8)
        #expect(await decoding.take(havingRead: body) == false, "it has read nothing")
        try decoding.working {
            for piece in [body.prefix(10), body.dropFirst(10)] {
                try decoding.append(piece)
                while try decoding.advance(isCancelled: { false }).hasMore {}
            }
        }
        #expect(await decoding.take(havingRead: PassDecoder.header + Data("-*.".utf8)) == false)
        #expect(await decoding.take(havingRead: PassDecoder.header) == false)
        #expect(await decoding.take(havingRead: body + Data(".".utf8)))
        #expect(await decoding.take(havingRead: body) == false, "it has been taken")
        #expect(throws: CancellationError.self) { try decoding.working {} }
        let (whole, info) = (body + Data(".".utf8), decoder().info(of: Data(), limits: .standard))
        let image = try decoding.image(of: whole, info: info, isCancelled: { false })
        #expect(image?.size.width == PassDecoder.fullWidth)
        #expect(!decoding.decoder.hasHeader && !decoding.mayMakeImage, "what it had read is released")
    }

    @Test("that arrives slowly holds a part of a budget, beyond which others make no previews")
    func budget() throws {
        let data = Sample.encoded(Sample.noise(300, 200), .png)
        let byteCount = 2 * PixelSize(300, 200).bitmapByteCount(depth: .eight)
        let budget = Budget(limit: 2 * byteCount)
        let report = BodyReport(ArrivingBytes(capacity: 0), number: 1, provenance: .data)
        let key = ProgressiveWorkKey(report, ImageOptions().applying([.progressive]))
        func begin() throws -> ProgressiveDecoding {
            let decoding = ProgressiveDecoding(key, codecs: .standard, within: budget)
            try decoding.append(data.prefix(10))
            #expect(try !decoding.advance(isCancelled: { false }).hasHeader)
            try decoding.append(data.prefix(data.count / 2).dropFirst(10))
            #expect(try decoding.advance(isCancelled: { false }).hasHeader)
            return decoding
        }
        #expect(budget.available == 2 * byteCount)
        let first = try begin()
        #expect(budget.available == byteCount)
        var second: ProgressiveDecoding? = try begin()
        #expect(budget.available == 0)
        #expect(throws: (any Error).self) { try begin() }
        // Whether one is of no more use or goes away.
        first.close()
        #expect(budget.available == byteCount)
        _ = second.take()
        #expect(budget.available == 2 * byteCount)
    }
}

@Suite("The bytes behind a complete image")
struct BytesBehindTests {
    /// A body that has a whole image and more, and notes what is copied of it.
    private final class Body: ArrivingBody {
        let copiedFrom = Lock<[Int]>([])
        private let bytes = PassDecoder.header + Data("-.".utf8)

        func copy() -> Data? { nil }

        func bytes(from offset: Int) -> Data? {
            copiedFrom.withLock { $0.append(offset) }
            return offset == 0 ? bytes : Data(repeating: 0, count: 1_000_000)
        }

        func hasBytes(from offset: Int) -> Bool { true }
    }

    @Test("are not copied to learn whether there are any")
    func noCopy() async throws {
        let (body, decoder, previews) = (Body(), PassDecoder { _ in }, Lock<[IncrementalProgress?]>([]))
        let stage = ProgressiveStage(
            codecs: decoder.codecs,
            workers: .shared,
            clock: ContinuousClock(),
            decoders: ProgressiveDecoders()
        )
        let context = WorkContext(priority: PriorityBox(.normal)) { report in
            if case .preview(let preview) = report { previews.withLock { $0.append(preview.progress) } }
        }
        let report = BodyReport(body, number: 1, provenance: .network)
        let request = ImageRequest(.url(Sample.url()), options: [.progressive])
        try await stage.makePreviews(of: report, for: request, decoded: nil, context: context)
        #expect(body.copiedFrom.withLock { $0 } == [0])
        #expect(previews.withLock { $0 }.last??.isComplete == true)
    }
}
