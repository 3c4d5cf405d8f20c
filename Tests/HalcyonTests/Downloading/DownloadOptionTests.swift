import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Options of the network")
struct DownloadOptionTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    @Test("reach the request: method, headers and timeout")
    func request() async throws {
        let options: [ImageOption] = [
            .method(.post), .headers([.accept: "image/webp"]), .timeouts(.download(.seconds(3))),
        ]
        let source = Source.request(TransferRequest(url: url, headers: [.accept: "image/*", .acceptLanguage: "da"]))
        let task = test.pipeline.task(for: ImageRequest(source, options: options))
        let request = await test.transport.nextTransfer().request
        #expect(request.method == .post)
        #expect(request.headers == [.acceptLanguage: "da", .accept: "image/webp"])
        #expect(request.timeouts == TransferTimeouts(connect: .seconds(3), idle: .seconds(3), total: .seconds(300)))
        task.cancel()
    }

    @Test("of the downloader hold where the request says nothing, and a timeout of zero is 15 s")
    func defaults() async throws {
        var configuration = ImageDownloader.Configuration(policy: .with { $0.headers = [.accept: "image/*"] })
        #expect(configuration.downloadTimeout == .seconds(15))
        configuration.downloadTimeout = .seconds(4)
        let downloader = ImageDownloader(transport: test.transport, configuration: configuration)
        var request = TransferRequest(url: url)
        let first = downloader.task(for: request)
        let sent = await test.transport.nextTransfer().request
        #expect(sent.timeouts.idle == .seconds(4))
        #expect(sent.headers == [.accept: "image/*"])
        first.cancel()

        request.timeouts.idle = .seconds(9)
        request.headers[.accept] = "image/png"
        let second = downloader.task(for: request)
        let own = await test.transport.nextTransfer().request
        #expect(own.timeouts.idle == .seconds(9))
        #expect(own.headers == [.accept: "image/png"])
        second.cancel()

        configuration.downloadTimeout = .zero
        #expect(configuration.downloadTimeout == .seconds(15))
    }
}
