import HTTPTypes
import HalcyonTesting

@testable import Halcyon

extension OptionPathTable {
    /// The fields of transfers.
    @Rows static var transfers: [Row] {
        Row("networkIsAllowed") { _ in [.onlyFromCache] }
            .shows(on: LoadPath.sending) { $0.with.answer.error == "notCached" }
            .cannotMatter(on: LoadPath.local, .nothingIsSent)
        Row("timeouts") { _ in [.timeouts(.download(.seconds(1)))] }
            .shows(on: LoadPath.sending) { $0.with.sent?.timeouts == .download(.seconds(1)) }
            .cannotMatter(on: LoadPath.local, .nothingIsSent)
        Row("transferLimits") { _ in
            [ImageOption { $0.network.limits = TransferLimits(bodyBytes: 10) }]
        }
        .shows(on: LoadPath.cold) { $0.fails }
        .cannotMatter(on: LoadPath.cached, .nothingIsSent)
        Row("headers") { _ in [.headers([.accept: "image/x-path"])] }
            .shows(on: LoadPath.sending) { $0.with.sent?.headers[.accept] == "image/x-path" }
            .cannotMatter(on: LoadPath.local, .nothingIsSent)
        Row("method") { _ in [.method(.post)] }
            .shows(on: LoadPath.cached) { $0.asksAgain }
            .shows(on: [.network, .joined, .encoded]) { $0.with.sent?.method == .post }
            .shows(on: [.prefetch]) { $0.without.transfers == 1 && $0.with.transfers == 0 }
            .cannotMatter(on: [.provider, .file], .nothingIsSent)
        Row("acceptedStatusCodes") { _ in [.acceptedStatusCodes(300..<400)] }
            .shows(on: LoadPath.sending) { $0.with.answer.error == "status" }
            .cannotMatter(on: LoadPath.local, .nothingIsSent)
        Row("acceptedContentTypes") { _ in [.acceptedContentTypes(["image/webp"])] }
            .shows(on: LoadPath.sending) { $0.with.answer.error == "contentType" }
            .cannotMatter(on: LoadPath.local, .nothingIsSent)
        Row("hooks") { _ in
            let changed = Sample.png(seed: 60)
            return [.hooks(TestHooks.body { _, _ in changed })]
        }
        .shows(on: LoadPath.cached) { $0.asksAgain }
        .shows(on: [.network, .joined, .encoded]) { $0.isAnotherImage }
        .shows(on: [.prefetch]) { $0.without.transfers == 1 && $0.with.transfers == 0 }
        .cannotMatter(on: [.provider, .file], .nothingIsSent)
        Row("downloader") { [.downloader(ImageDownloader(transport: $0.otherTransport))] }
            .shows(on: LoadPath.sending) { $0.with.otherTransfers == 1 }
            .cannotMatter(on: LoadPath.local, .nothingIsSent)
    }

    /// The fields of failures.
    @Rows static var recovery: [Row] {
        Row("retry", PathSetup(fails: true)) { [.retry(CountingRetry(calls: $0.hookCalls))] }
            .shows(on: LoadPath.cold) { $0.with.hookCalls > 0 && $0.with.answer.error != nil }
            .cannotMatter(on: LoadPath.cached, .nothingIsSent)
        Row("alternatives", PathSetup(fails: true)) { _ in [.alternativeSources([PathScene.replacement])] }
            .shows(on: [.network, .provider, .file, .joined, .encoded]) {
                $0.without.answer.error != nil && $0.with.answer.image?.size == PixelSize(30, 20)
            }
            .shows(on: [.prefetch]) { $0.without.answer.error != nil && $0.with.answer.error == nil }
            .cannotMatter(on: LoadPath.cached, .nothingFails)
        Row("lowDataSource", PathSetup(isMetered: true)) { _ in [.lowDataSource(PathScene.replacement)] }
            .shows(on: [.network, .joined, .encoded]) { $0.with.answer.image?.size == PixelSize(30, 20) }
            .shows(on: [.prefetch]) { $0.without.transfers == 1 && $0.with.transfers == 0 }
            .cannotMatter(on: LoadPath.local, .nothingIsSent)
        Row("allowsMetered", PathSetup(isMetered: true)) { _ in [.allowsMetered(false)] }
            .shows(on: LoadPath.sending) { $0.with.answer.error == "meteredNetwork" }
            .cannotMatter(on: LoadPath.local, .nothingIsSent)
    }
}
