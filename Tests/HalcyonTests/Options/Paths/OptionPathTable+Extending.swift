import FoundationEssentials
import HalcyonTesting

@testable import Halcyon

extension OptionPathTable {
    /// The ways that hand out an image.
    private static let delivering = LoadPath.allCases.filter { $0 != .encoded && $0 != .prefetch }

    /// The fields by which a program takes part in loads.
    @Rows static var extending: [Row] {
        Row("interceptors") { _ in
            let interceptor = TestInterceptor(preparing: { request in
                var request = request
                request.options.delivery.scale = 2
                return request
            })
            return [.interceptors(interceptor)]
        }
        .shows(on: delivering) {
            $0.with.answer.image?.scale == 2 && $0.with.answer.source == $0.without.answer.source
        }
        .isTested(
            on: [.encoded, .prefetch],
            "InterceptorFormTests.swift",
            "are told the form of the result, and prepare a request once, whichever function is called"
        )
        Row("loaders") { _ in
            let image = Sample.png(30, 20, seed: 77)
            let loader = SourceLoader { source, _ in
                source.url == nil ? nil : ClosureImageDataProvider(cacheKey: "loaded") { image }
            }
            return [.loaders(loader)]
        }
        .shows(on: [.memory, .storedResult, .storedOriginal, .network, .file, .joined, .lookUp, .encoded]) {
            $0.isAnotherImage
        }
        .shows(on: [.blockingLookUp]) { $0.fails }
        .shows(on: [.prefetch]) {
            $0.without.transfers == 1 && $0.with.transfers == 0 && $0.with.answer.prefetched == [1, 0]
        }
        .cannotMatter(on: [.provider], .noAddress)
        Row("values") { _ in [.value("a", for: RenditionKey.self)] }
            .shows(on: LoadPath.cached) { $0.asksAgain }
            .shows(on: [.network, .provider, .file, .encoded, .prefetch]) {
                !$0.without.plain.isEmpty && $0.with.plain.isEmpty
            }
            .shows(on: [.joined]) { $0.without.memoryCount == 1 && $0.with.memoryCount == 2 }
    }
}
