import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The head of the server's response")
struct ResponseHeadTests {
    private let fixture = ServerCachingFixture()
    private let headers: HTTPFields = [.cacheControl: "max-age=600", .eTag: "\"one\"", .server: "tests"]

    @Test("is there from the network, with status, fields and URL")
    func network() async throws {
        fixture.serve(Sample.png(), headers)
        let head = try #require(try await fixture.load().head)
        #expect(head.status == 200 && head.headers[.eTag] == "\"one\"" && head.headers[.server] == "tests")
        #expect(head.url == fixture.url)
    }

    @Test("names the last URL of redirects, also on disk, for an original and for a result of processors")
    func redirects() async throws {
        let target = Sample.url("target.png")
        for options in [[], [ImageOption.processor(.crop(to: .pixels(8, 6)))]] {
            async let load = fixture.load([.forceRefresh] + options)
            let transfer = await fixture.transport.nextTransfer()
            transfer.respond(status: 200, headers: headers, url: target)
            transfer.send(Sample.png())
            transfer.finish()
            let response = try await load
            #expect(response.url == target && response.head?.status == 200)
            fixture.forgetMemory()
            let found = try await fixture.load(options)
            #expect(found.source == .disk && found.url == target)
        }
    }

    @Test("has on disk what is stored of it, and its age")
    func disk() async throws {
        fixture.serve(Sample.png(), headers)
        _ = try await fixture.load()
        fixture.forgetMemory()
        fixture.clock.advance(by: 60)
        let found = try await fixture.load()
        #expect(found.source == .disk)
        #expect(found.head?.headers[.eTag] == "\"one\"" && found.head?.headers[.age] == "60")
    }

    @Test("has of a result of processors the fields that decide about its use")
    func result() async throws {
        fixture.serve(Sample.png(), headers)
        let options = [ImageOption.processor(.crop(to: .pixels(8, 6)))]
        _ = try await fixture.load(options)
        fixture.forgetMemory()
        let found = try await fixture.load(options)
        #expect(found.source == .disk && found.head?.status == 200)
        #expect(found.head?.headers[.cacheControl] == "max-age=600" && found.head?.headers[.server] == nil)
    }

    @Test("is not there from memory, and from other sources")
    func none() async throws {
        fixture.serve(Sample.png(), headers)
        _ = try await fixture.load()
        let hit = try await fixture.load()
        #expect(hit.source == .memory && hit.head == nil && hit.url == nil)
        let bytes = ImageRequest(.data(Sample.png()))
        #expect(try await fixture.test.pipeline.response(for: bytes).head == nil)
    }

    @Test("is that of a response to another method than GET")
    func post() async throws {
        fixture.serve(Sample.png(), headers)
        #expect(try await fixture.load([.method(.post)]).head?.headers[.server] == "tests")
    }
}
