import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An image that its server does not have any more")
struct AbsentImageTests {
    private let fixture = ServerCachingFixture()
    private static let variants: [[ImageOption]] = [
        [], [.processor(.crop(to: .pixels(8, 8))), .cacheOriginalImage], [.processor(.crop(to: .pixels(9, 9)))],
    ]

    private var cache: ImageCache { fixture.test.pipeline.cache }

    private func serveImage() {
        fixture.serve(Sample.png(), [.cacheControl: "max-age=86400", .eTag: "\"a\""])
    }

    private func serveAbsence(_ status: Int = 404) {
        fixture.serve(Data("no".utf8), [:], status: status)
    }

    /// Returns the number of images in memory and of entries on disk.
    private func counts() async throws -> [Int] {
        await fixture.test.settle()
        return [cache.memoryStatistics.count, try await cache.diskStatistics().count]
    }

    /// Begins a load that reads no cache, with a header that keeps it from sharing the work of others.
    private func begin(_ language: String, _ options: [ImageOption] = []) -> ImageTask {
        let transfer = TransferRequest(url: fixture.url, headers: [.acceptLanguage: language])
        let options = options + [.forceRefresh, .waitForCache]
        return fixture.test.pipeline.task(for: ImageRequest(.request(transfer), options: options))
    }

    @Test(
        "is removed with everything that was made of it, whichever image of it is asked for",
        arguments: [404, 410, 451],
        [ImageOption.revalidate, .forceRefresh]
    )
    func variants(status: Int, option: ImageOption) async throws {
        for asked in Self.variants {
            serveImage()
            for options in Self.variants { _ = try await fixture.load(options + [.forceRefresh]) }
            #expect(try await counts() == [3, 3])
            serveAbsence(status)
            #expect(try await fixture.failure(asked + [option]).reason == .status(status))
            #expect(try await counts() == [0, 0])
        }
    }

    @Test("is removed with everything that was made of it by a load that accepts what the server sends instead")
    func accepted() async throws {
        serveImage()
        for options in Self.variants { _ = try await fixture.load(options) }
        fixture.serve(Sample.png(seed: 2), [:], status: 404)
        let accepting = ImageOption { $0.network.acceptedStatusCodes = 200..<500 }
        #expect(try await fixture.load([.revalidate, accepting]).source == .network)
        #expect(try await counts() == [0, 0])
    }

    @Test("is removed with everything that was made of it by a prefetch to disk, and by a load of its bytes alone")
    func withoutImage() async throws {
        for isPrefetch in [true, false] {
            serveImage()
            for options in Self.variants { _ = try await fixture.load(options + [.forceRefresh]) }
            fixture.clock.advance(by: 100_000)
            serveAbsence()
            let request = ImageRequest(fixture.url)
            if isPrefetch {
                let prefetcher = ImagePrefetcher(
                    requests: [request],
                    pipeline: fixture.test.pipeline,
                    destination: .disk
                )
                #expect(await prefetcher.run().failed.count == 1)
            } else {
                await #expect(throws: ImageError.self) { try await fixture.test.pipeline.data(for: request) }
            }
            #expect(try await counts() == [0, 0])
        }
    }

    @Test("is removed by a prefetch to disk, and a load of its bytes alone, that accept what the server sends instead")
    func acceptedWithoutImage() async throws {
        for isPrefetch in [true, false] {
            serveImage()
            for options in Self.variants { _ = try await fixture.load(options + [.forceRefresh]) }
            fixture.clock.advance(by: 100_000)
            fixture.serve(Sample.png(seed: 2), [:], status: 404)
            let request = ImageRequest(fixture.url, options: [.acceptedStatusCodes(200..<600)])
            if isPrefetch {
                let prefetcher = ImagePrefetcher(
                    requests: [request],
                    pipeline: fixture.test.pipeline,
                    destination: .disk
                )
                #expect(await prefetcher.run().completed.count == 1)
            } else {
                _ = try await fixture.test.pipeline.data(for: request)
            }
            #expect(try await counts() == [0, 0])
        }
    }

    @Test("is removed in the background for a load that accepts what the server sends instead")
    func acceptedInBackground() async throws {
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60, stale-while-revalidate=1000"])
        for options in Self.variants { _ = try await fixture.load(options) }
        fixture.clock.advance(by: 61)
        fixture.forgetMemory()
        fixture.serve(Sample.png(seed: 2), [:], status: 404)
        #expect(try await fixture.load([.acceptedStatusCodes(200..<600)]).source == .disk)
        await fixture.test.pipeline.stages.original.refresher.wait()
        #expect(try await counts() == [0, 0])
    }

    @Test("is removed with everything that was made of it when it is found missing in the background")
    func background() async throws {
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60, stale-while-revalidate=1000"])
        for options in Self.variants { _ = try await fixture.load(options) }
        fixture.clock.advance(by: 61)
        fixture.forgetMemory()
        serveAbsence()
        #expect(try await fixture.load().source == .disk)
        await fixture.test.pipeline.stages.original.refresher.wait()
        #expect(try await counts() == [0, 0])
    }

    @Test("leaves what a load that began later has stored")
    func newer() async throws {
        serveImage()
        for options in Self.variants { _ = try await fixture.load(options) }
        fixture.transport.setRoute(fixture.url, nil)
        let older = begin("en")
        let olderTransfer = await fixture.transport.nextTransfer()
        let newer = begin("de", Self.variants[2])
        await fixture.transport.nextTransfer().answer(
            .init(headers: [.cacheControl: "max-age=60"], body: Sample.png(seed: 1))
        )
        _ = try await newer.response
        olderTransfer.answer(.init(status: 404))
        #expect(try await older.failure().reason == .status(404))
        #expect(await cache.tiers(with: ImageRequest(fixture.url, options: Self.variants[2])) == .all)
        #expect(await cache.tiers(with: ImageRequest(fixture.url, options: Self.variants[1])) == [])
        #expect(await !cache.tiers(with: ImageRequest(fixture.url)).contains(.memory))
    }

    @Test("is not stored again by a load that began before, whichever image of it that makes", arguments: 0..<3)
    func older(variant: Int) async throws {
        let older = begin("en", Self.variants[variant])
        let olderTransfer = await fixture.transport.nextTransfer()
        let newer = begin("de")
        await fixture.transport.nextTransfer().answer(.init(status: 404))
        #expect(try await newer.failure().reason == .status(404))
        olderTransfer.answer(.init(headers: [.cacheControl: "max-age=60"], body: Sample.png()))
        _ = try await older.response
        #expect(try await counts() == [0, 0])
    }

    @Test("stays for other users, whose image is another one")
    func otherUser() async throws {
        serveImage()
        let headers: HTTPFields = [.authorization: "Bearer two"]
        _ = try await fixture.load(headers: headers)
        _ = try await fixture.load()
        serveAbsence()
        #expect(try await fixture.failure([.revalidate]).reason == .status(404))
        #expect(try await counts() == [1, 1])
        #expect(try await fixture.load(headers: headers).source == .memory)
    }

    @Test("stays after a refusal that is not about it", arguments: [401, 403, 429, 500])
    func refusal(status: Int) async throws {
        serveImage()
        for options in Self.variants { _ = try await fixture.load(options) }
        serveAbsence(status)
        #expect(try await fixture.failure([.revalidate, .staleIfError(.never)]).reason == .status(status))
        #expect(try await counts() == [3, 3])
    }
}
