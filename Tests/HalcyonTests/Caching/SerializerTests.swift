import FoundationEssentials
import Glibc
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A serializer")
struct SerializerTests {
    private let test = TestPipeline()
    private let url = Sample.url()
    private let crop = ImageOption.processor(.crop(to: .pixels(9, 9), anchor: .topLeft))

    init() {
        test.transport.serve(url, Sample.png(seed: 1))
    }

    /// Loads with memory cleared before, and waits until everything is stored.
    private func load(_ options: ImageOption...) async throws -> ImageResponse {
        test.pipeline.cache.removeAllFromMemory()
        let response = try await test.pipeline.response(for: url, options: options)
        await test.settle()
        return response
    }

    private func stored(_ options: ImageOption...) async -> Data? {
        await test.pipeline.cache.storedData(for: ImageRequest(url, options: options))
    }

    @Test("of the program encodes what is stored and decodes what is found")
    func roundTrip() async throws {
        let serializer = ImageOption.serializer(Inverted(mask: 0xFF))
        let first = try await load(crop, serializer)
        #expect(first.source == .network)
        let bytes = try #require(await stored(crop, serializer))
        #expect(firstDifference(Data(bytes.map { ~$0 }), Sample.encoded(first.image.bitmap, .png)) == nil)
        let second = try await load(crop, serializer, .onlyFromCache)
        #expect(second.source == .disk)
        #expect(second.image.bitmap.hasSamePixels(as: first.image.bitmap))
        #expect(second.byteCount == first.byteCount && second.image.info == first.image.info)
        #expect(test.faults.withLock { $0.isEmpty })
    }

    @Test("gives each request its own encoding, in memory and on disk")
    func identity() async throws {
        let serializers: [ImageOption] = [
            .serializer(.automatic), .serializer(.automatic(quality: 20)), .serializer(.format(.png, EncodeOptions())),
            .serializer(.format(.jpeg, EncodeOptions(quality: 10))), .serializer(Inverted(mask: 0xFF)),
            .serializer(Inverted(mask: 1)), .serializer(TestSerializer("a") { image, _, _ in bytes(of: image) }),
            .serializer(TestSerializer("b") { image, _, _ in bytes(of: image) }),
        ]
        var stored: Set<Data> = []
        for (index, serializer) in serializers.enumerated() {
            #expect(try await load(crop, serializer).source == .network)
            #expect(test.transport.startedCount(url) == index + 1)
            stored.insert(try #require(await self.stored(crop, serializer)))
        }
        #expect(try await test.pipeline.cache.diskStatistics().count == serializers.count)
        for serializer in serializers { #expect(try await load(crop, serializer).source == .disk) }
        // PNG, JPEG, and the two inverted ones: bytes that are equal are encodings that are.
        #expect(stored.count == 4)
        let keys = serializers.map { ImageKey(ImageRequest(url, options: [crop, $0])) }
        #expect(Set(keys).count == serializers.count)
    }

    @Test("is no part of the key of an unprocessed image, which is stored as it came")
    func unprocessed() async throws {
        _ = try await load(.serializer(Inverted(mask: 1)))
        let bytes = try #require(await stored())
        #expect(firstDifference(bytes, Sample.png(seed: 1)) == nil)
        #expect(try await load().source == .disk)
    }

    @Test("shares transfer, decoding and processing with another, and stores both encodings")
    func sharing() async throws {
        let url = Sample.url()
        let tasks = [Inverted(mask: 1), Inverted(mask: 2)].map { serializer in
            test.pipeline.task(for: url, options: [crop, .serializer(serializer)])
        }
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.processing.work.waiterCount == 2 }
        transfer.answer(.init(body: Sample.png()))
        for task in tasks { _ = try await task.response }
        await test.settle()
        #expect(test.transport.startedCount(url) == 1 && test.counters.decodes == 1)
        #expect(try await test.pipeline.cache.diskStatistics().count == 2)
    }

    @Test("runs on pixel workers, with the original's bytes")
    func threads() async throws {
        let calls = Lock<[(label: String, original: Data?)]>([])
        let serializer = TestSerializer("threads") { image, original, _ in
            calls.withLock { $0.append((currentQueueLabel, original)) }
            return bytes(of: image)
        } decode: { data, context in
            calls.withLock { $0.append((currentQueueLabel, nil)) }
            return try context.decode(data)
        }
        _ = try await load(crop, .serializer(serializer))
        _ = try await load(crop, .serializer(serializer))
        let seen = calls.withLock { $0 }
        #expect(seen.count == 2 && seen.allSatisfy { $0.label.hasPrefix("halcyon.pixels") })
        #expect(try firstDifference(#require(seen.first?.original), Sample.png(seed: 1)) == nil)
    }

    @Test(
        "that fails, or whose result is empty or too large, fails no load, and is reported once",
        arguments: SerializerFailure.allCases
    )
    func encodeFailure(failure: SerializerFailure) async throws {
        let serializer = TestSerializer("failing") { image, _, _ in try failure.data(for: image) }
        for source in [ImageResponse.Source.network, .network] {
            #expect(try await load(crop, .serializer(serializer)).source == source)
        }
        #expect(await stored(crop, .serializer(serializer)) == nil)
        let faults = test.faults.withLock { $0 }
        #expect(faults.map(\.stage) == [.encode] && faults.map(\.code) == ["serialization"])
        #expect(faults.first?.message.contains(failure.text) == true)
        let image = try ImageCodecs.standard.decode(Sample.png(9, 9))
        let request = ImageRequest(url, options: [crop, .serializer(serializer)])
        let error = await #expect(throws: ImageError.self) { try await test.pipeline.cache.store(image, for: request) }
        #expect(error?.stage == .encode && error?.code == "serialization")
    }

    @Test("that returns nothing stores nothing, and removes what it was to replace")
    func nothing() async throws {
        let isStoring = Lock(true)
        let serializer = ImageOption.serializer(
            TestSerializer("some") { image, _, _ in isStoring.withLock { $0 } ? bytes(of: image) : nil }
        )
        _ = try await load(crop, serializer)
        #expect(await stored(crop, serializer) != nil)
        isStoring.withLock { $0 = false }
        _ = try await load(crop, serializer, .forceRefresh)
        #expect(await stored(crop, serializer) == nil)
        #expect(test.faults.withLock { $0.isEmpty })
    }

    @Test(
        "that cannot read its own bytes, or makes an image of another size, has the image made again",
        arguments: [true, false]
    )
    func decodeFailure(throwsError: Bool) async throws {
        let isFailing = Lock(false)
        let serializer = ImageOption.serializer(
            TestSerializer("unreadable") { image, _, _ in
                bytes(of: image)
            } decode: { data, context in
                if isFailing.withLock({ $0 }) {
                    guard throwsError else { return try ImageCodecs.standard.decode(Sample.png(3, 3)) }
                    // Nothing was cancelled: this must not end the load.
                    throw CancellationError()
                }
                return try context.decode(data)
            }
        )
        let first = try await load(crop, serializer)
        isFailing.withLock { $0 = true }
        let second = try await load(crop, serializer)
        #expect(second.source == .network)
        #expect(second.image.bitmap.hasSamePixels(as: first.image.bitmap))
        #expect(test.faults.withLock { $0.map(\.stage) } == [.decode])
        isFailing.withLock { $0 = false }
        #expect(try await load(crop, serializer).source == .disk)
        isFailing.withLock { $0 = true }
        test.pipeline.cache.removeAllFromMemory()
        let request = ImageRequest(url, options: [crop, serializer])
        #expect(try await test.pipeline.cache.entry(for: request) == nil)
        #expect(await stored(crop, serializer) == nil)
    }

    @Test("sees the cancellation of the load that reads")
    func cancellation() async throws {
        let (started, ended) = (Gate(), Gate())
        let serializer = TestSerializer("slow") { image, _, _ in
            bytes(of: image)
        } decode: { _, context in
            started.open()
            while !context.isCancelled() { _ = sched_yield() }
            ended.open()
            throw CancellationError()
        }
        _ = try await load(crop, .serializer(serializer))
        test.pipeline.cache.removeAllFromMemory()
        let task = test.pipeline.task(for: url, options: [crop, .serializer(serializer)])
        await started.wait()
        task.cancel()
        await ended.wait()
        await #expect(throws: CancellationError.self) { try await task.response }
        await test.settle()
        #expect(await stored(crop, .serializer(serializer)) != nil)
    }

    @Test("that stores the original keeps that alone, and runs the processors again")
    func original() async throws {
        let serializer = ImageOption.serializer(.original)
        let first = try await load(crop, serializer)
        #expect(try await test.pipeline.cache.diskStatistics().count == 1)
        let bytes = try #require(await stored())
        #expect(firstDifference(bytes, Sample.png(seed: 1)) == nil)
        let decodes = test.counters.decodes
        let second = try await load(crop, serializer)
        #expect(second.source == .disk && test.counters.decodes == decodes + 1)
        #expect(second.image.bitmap.hasSamePixels(as: first.image.bitmap))
        #expect(try await load(.processor(.crop(to: .pixels(5, 5))), serializer).source == .disk)
        #expect(try await test.pipeline.cache.diskStatistics().count == 1)
        let image = try ImageCodecs.standard.decode(Sample.png(9, 9))
        let request = ImageRequest(Sample.url(), options: [crop, serializer])
        #expect(try await !test.pipeline.cache.store(image, for: request))
        #expect(try await test.pipeline.cache.store(image, original: Sample.png(), for: request))
    }

    @Test("stores and finds the image of a provider, and of a store by the program")
    func otherPaths() async throws {
        let serializer = ImageOption.serializer(Inverted(mask: 0x55))
        let provider = CountingProvider()
        let request = ImageRequest(.provider(provider), options: [crop, serializer])
        for source in [ImageResponse.Source.data, .disk] {
            test.pipeline.cache.removeAllFromMemory()
            #expect(try await test.pipeline.response(for: request).source == source)
            await test.settle()
        }
        let image = try ImageCodecs.standard.decode(Sample.png(9, 9))
        let own = ImageRequest(Sample.url(), options: [crop, serializer])
        #expect(try await test.pipeline.cache.store(image, for: own))
        test.pipeline.cache.removeAllFromMemory()
        let found = try await test.pipeline.cache.entry(for: own)
        #expect(found?.tier == .disk && found?.image.bitmap.hasSamePixels(as: image.bitmap) == true)
        // No decoder knows the bytes of an unprocessed image.
        #expect(try await !test.pipeline.cache.store(image, for: ImageRequest(url, options: [serializer])))
    }

    @Test("is equal to those that are encoded alike, byte by byte")
    func equality() {
        let first = TestSerializer("\u{E9}") { _, _, _ in nil }
        let same = TestSerializer("\u{E9}") { image, _, _ in bytes(of: image) }
        let other = TestSerializer("e\u{301}") { _, _, _ in nil }
        #expect(ImageOption.serializer(first) == .serializer(same))
        #expect(ImageOption.serializer(first) != .serializer(other))
        #expect(ImageOptions().applying([.serializer(.automatic)]) == ImageOptions())
    }
}

/// Returns the bytes of an image as PNG.
private func bytes(of image: DecodedImage) -> Data { Sample.encoded(image.bitmap, .png) }

/// A serializer that changes each byte of a PNG.
private struct Inverted: ImageSerializing {
    let mask: UInt8

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(Int(mask))
    }

    func data(for image: DecodedImage, original: Data?, context: ImageSerializationContext) throws -> Data? {
        Data(try context.codecs.encode(image.bitmap, as: .png).map { $0 ^ mask })
    }

    func image(from data: Data, context: ImageSerializationContext) throws -> DecodedImage {
        try context.decode(Data(data.map { $0 ^ mask }))
    }
}

enum SerializerFailure: CaseIterable {
    case error, empty, large

    private struct Problem: Error {}

    func data(for image: DecodedImage) throws -> Data {
        switch self {
        case .error: throw Problem()
        case .empty: Data()
        case .large: Data(count: 2 * image.bitmap.byteCount + 1 << 20 + 1)
        }
    }

    var text: String {
        switch self {
        case .error: "Problem"
        case .empty: "no bytes"
        case .large: "more than"
        }
    }
}
