import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A request that decides how long an image is fresh")
struct ReaderFreshnessTests {
    private let fixture = ServerCachingFixture()
    private let one = Sample.png(seed: 1)

    /// An image in memory or on disk, original or processed.
    private static let forms: [(isProcessed: Bool, isInMemory: Bool)] = [
        (false, true), (false, false), (true, true), (true, false),
    ]

    private func load(_ options: [ImageOption], isProcessed: Bool) async throws -> ImageResponse {
        let crop = ImageOption.processor(.crop(to: .pixels(8, 8)))
        return try await fixture.load(options + (isProcessed ? [crop] : []))
    }

    @Test(
        "with a shorter time asks earlier than its server requires",
        arguments: [[.cacheControl: "max-age=31536000"], [:]] as [HTTPFields],
        forms
    )
    func shorter(headers: HTTPFields, form: (isProcessed: Bool, isInMemory: Bool)) async throws {
        fixture.serve(one, headers)
        _ = try await load([], isProcessed: form.isProcessed)
        fixture.clock.advance(by: 59)
        let short = [ImageOption.expiration(.seconds(60))]
        #expect(try await load(short, isProcessed: form.isProcessed).source == .memory)
        fixture.clock.advance(by: 1)
        if !form.isInMemory { fixture.forgetMemory() }
        #expect(try await load(short, isProcessed: form.isProcessed).source == .network)
        #expect(fixture.requestCount == 2)
    }

    @Test(
        "that leaves it to the server asks although another one did not",
        arguments: [[ImageOption.expiration(.never)], [.ignoringServer]],
        forms
    )
    func asServerSays(writer: [ImageOption], form: (isProcessed: Bool, isInMemory: Bool)) async throws {
        fixture.serve(one, [.cacheControl: "no-cache"])
        _ = try await load(writer, isProcessed: form.isProcessed)
        #expect(try await load(writer, isProcessed: form.isProcessed).source == .memory)
        if !form.isInMemory { fixture.forgetMemory() }
        #expect(try await load([], isProcessed: form.isProcessed).source == .network)
        #expect(fixture.requestCount == 2)
    }

    @Test("that leaves it to the server asks although another one, which ignores it, has read the image from disk")
    func ignoringReader() async throws {
        fixture.serve(one, [.cacheControl: "no-cache", .eTag: "\"a\""])
        _ = try await fixture.load([.ignoringServer])
        fixture.forgetMemory()
        #expect(try await fixture.load([.ignoringServer]).source == .disk)
        fixture.serve(Data(), [.cacheControl: "no-cache"], status: 304)
        #expect(try await fixture.load().source == .disk)
        #expect(fixture.lastRequest?.headers[.ifNoneMatch] == "\"a\"")
    }

    @Test("that leaves it to the server asks for an image that must not be stored, although another one stored it")
    func noStore() async throws {
        fixture.serve(one, [.cacheControl: "no-store"])
        _ = try await fixture.load([.ignoringServer])
        #expect(try await fixture.load().source == .network)
        #expect(fixture.requestCount == 2)
    }

    @Test("that leaves it to the server does not ask because another one set a shorter time", arguments: forms)
    func longer(form: (isProcessed: Bool, isInMemory: Bool)) async throws {
        fixture.serve(one, [.cacheControl: "max-age=31536000"])
        _ = try await load([.expiration(.seconds(60))], isProcessed: form.isProcessed)
        fixture.clock.advance(by: 100)
        if !form.isInMemory { fixture.forgetMemory() }
        #expect(try await load([], isProcessed: form.isProcessed).source == (form.isInMemory ? .memory : .disk))
        #expect(fixture.requestCount == 1)
    }

    @Test("asks when the clock went back since the image came", arguments: forms)
    func clockJumps(form: (isProcessed: Bool, isInMemory: Bool)) async throws {
        fixture.serve(one, [.cacheControl: "max-age=60"])
        _ = try await load([], isProcessed: form.isProcessed)
        fixture.clock.setDate(fixture.clock.date.addingTimeInterval(-86_400))
        if !form.isInMemory { fixture.forgetMemory() }
        #expect(try await load([], isProcessed: form.isProcessed).source == .network)
        #expect(fixture.requestCount == 2)
    }

    @Test("does not ask when the clock went back by less than a minute")
    func clockAdjusted() async throws {
        fixture.serve(one, [.cacheControl: "max-age=60"])
        _ = try await fixture.load()
        fixture.clock.setDate(fixture.clock.date.addingTimeInterval(-30))
        #expect(try await fixture.load().source == .memory)
    }

    @Test("counts its image in memory with all that is kept beside the pixels, and keeps no more than is needed")
    func cost() async throws {
        let field = HTTPField.Name.named("X-Large")
        fixture.serve(one, [.cacheControl: "max-age=60", field: String(repeating: "x", count: 100_000)])
        let pixels = try await fixture.load().image.bitmap.byteCount
        let cost = fixture.test.pipeline.cache.memoryStatistics.cost
        #expect(cost > pixels && cost < pixels + 10_000)
        let directive = "max-age=60, x=\"\(String(repeating: "x", count: 50_000))\""
        fixture.serve(one, [.cacheControl: directive])
        _ = try await fixture.load([.forceRefresh])
        #expect(fixture.test.pipeline.cache.memoryStatistics.cost > pixels + 50_000)
        try await fixture.test.pipeline.cache.removeAll()
        let info = ImageInfo(
            format: .gif,
            size: PixelSize(1, 1),
            frameCount: 10_000,
            frameDurations: Array(repeating: 10, count: 10_000)
        )
        let image = DecodedImage(bitmap: Sample.bitmap(1, 1), info: info)
        try await fixture.test.pipeline.cache.store(image, for: ImageRequest(Sample.url(), options: [.cacheMemoryOnly]))
        #expect(fixture.test.pipeline.cache.memoryStatistics.cost > 80_000)
    }
}

extension HTTPField.Name {
    fileprivate static func named(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { fatalError("field name") }
        return name
    }
}
