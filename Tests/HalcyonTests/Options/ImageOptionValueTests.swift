import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

/// A number that a change of the program's own may count up.
private enum CountKey: ImageOptionKey {
    static let defaultValue = 0
}

/// A value that may be missing.
private enum OwnerKey: ImageOptionKey {
    static let defaultValue: String? = nil
}

/// Another value whose images are kept apart.
private enum WatermarkKey: ImageOptionKey {
    static let defaultValue = ""

    static func cacheIdentity(of value: String) -> String? { value.isEmpty ? nil : value }
}

@Suite("Values of the program's own")
struct ImageOptionValueTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    private func key(_ options: ImageOption...) -> ImageKey? {
        ImageKey(ImageRequest(url, options: options))
    }

    @Test("have their default until they are set, by a change or by assignment")
    func setting() {
        var options = ImageOptions().applying([.value("a", for: NoteKey.self)])
        #expect(options[NoteKey.self] == "a" && options[CountKey.self] == 0 && ImageOptions()[NoteKey.self].isEmpty)
        options[CountKey.self] = 7
        options[OwnerKey.self] = "me"
        #expect(options[CountKey.self] == 7 && options[OwnerKey.self] == "me" && options[NoteKey.self] == "a")
        options[OwnerKey.self] = nil
        #expect(options[OwnerKey.self] == nil)
        #expect(options.applying([.value("b", for: NoteKey.self)])[NoteKey.self] == "b" && options[NoteKey.self] == "a")
    }

    @Test("make options equal that are set to the same, however")
    func equality() {
        var options = ImageOptions()
        options[NoteKey.self] = "a"
        #expect(options == ImageOptions().applying([.value("a", for: NoteKey.self)]))
        #expect(options.hashValue == ImageOptions().applying([.value("a", for: NoteKey.self)]).hashValue)
        #expect(options != ImageOptions().applying([.value("b", for: NoteKey.self)]) && options != ImageOptions())
        let changes: [ImageOption] = [.value("a", for: NoteKey.self)]
        #expect(changes == [.value("a", for: NoteKey.self)] && changes != [.value("b", for: NoteKey.self)])
    }

    @Test("are an option each: a pipeline's is used for the keys that a request does not change")
    func defaults() {
        let test = TestPipeline(defaultOptions: [.value("pipeline", for: NoteKey.self), .value(5, for: CountKey.self)])
        let completed = test.pipeline.options([.value("request", for: NoteKey.self)])
        #expect(completed[NoteKey.self] == "request" && completed[CountKey.self] == 5)
        #expect(test.pipeline.options()[NoteKey.self] == "pipeline")
        #expect(test.pipeline.options([.value("", for: NoteKey.self)])[NoteKey.self].isEmpty)
    }

    @Test("are what a change of the program's own finds, and may be set before and after it")
    func customChanges() {
        let test = TestPipeline(defaultOptions: [.value(5, for: CountKey.self), .value("pipeline", for: NoteKey.self)])
        let increment = ImageOption { $0[CountKey.self] += 1 }
        func completed(_ options: ImageOption...) -> ImageOptions { test.pipeline.options(options) }
        #expect(completed(increment)[CountKey.self] == 6)
        #expect(completed(increment, increment)[CountKey.self] == 7)
        let after = completed(increment, .value("request", for: NoteKey.self))
        #expect(after[CountKey.self] == 6 && after[NoteKey.self] == "request")
        #expect(completed(.value(1, for: CountKey.self), increment)[CountKey.self] == 2)
        #expect(completed(increment, .value(1, for: CountKey.self))[CountKey.self] == 1)
        #expect(completed(.value(1, for: CountKey.self), increment)[NoteKey.self] == "pipeline")
        let chained = TestPipeline(defaultOptions: [.value(5, for: CountKey.self), increment])
        #expect(chained.pipeline.options([increment])[CountKey.self] == 7)
    }

    @Test("are in the identity of an image if their key names them, and only where they are not the default")
    func identity() {
        #expect(key(.value("a", for: NoteKey.self)) == key())
        #expect(key(.value("small", for: RenditionKey.self)) != key())
        #expect(key(.value("small", for: RenditionKey.self)) == key(.value("small", for: RenditionKey.self)))
        #expect(key(.value("full", for: RenditionKey.self)) == key())
        let small = ImageOption.value("x", for: RenditionKey.self)
        let mark = ImageOption.value("y", for: WatermarkKey.self)
        #expect(key(small, mark) == key(mark, small))
        #expect(
            key(small, mark) != key(.value("y", for: RenditionKey.self), .value("x", for: WatermarkKey.self))
        )
        #expect(key(small) != key(.value("x", for: WatermarkKey.self)))
        // Beside a scope and the bytes of a modifier, which it does not hide.
        let modifier = TestHooks.body("v1:x") { data, _ in data }
        let own = ImageOptions().applying([small, .cacheScope("me"), .hooks(modifier)])
        let original = OriginalKey(.url(url), options: own)
        #expect(original?.namedAudience?.hasSuffix(CacheScope.named("me").name ?? "") == true)
        #expect(key(small, .cacheScope("me")) != key(small) && key(small, .cacheScope("me")) != key(.cacheScope("me")))
    }

    @Test("keep images apart in memory, on disk and while they are loaded, from a server and from a provider")
    func separation() async throws {
        let calls = CallCounter()
        let provider = Source.closure(cacheKey: "page") {
            calls.add()
            return Sample.png()
        }
        test.transport.serve(url, Sample.png())
        let small: [ImageOption] = [.value("small", for: RenditionKey.self)]
        for source in [Source.url(url), provider] {
            let place: ImageResponse.Source = source == provider ? .data : .network
            for options in [[], small] {
                let request = ImageRequest(source, options: options)
                #expect(test.pipeline.responseFromMemory(for: request) == nil)
                #expect(try await test.pipeline.response(for: request).source == place)
                await test.settle()
                #expect(try await test.pipeline.response(for: request).source == .memory)
                #expect(test.pipeline.responseFromMemory(for: request) != nil)
                test.pipeline.cache.removeAllFromMemory()
                #expect(try await test.pipeline.response(for: request).source == .disk)
            }
        }
        #expect(test.transport.startedCount == 2 && calls.value == 2)
        #expect(try await test.pipeline.cache.remove(for: ImageRequest(url, options: small)) > 0)
        #expect(await test.pipeline.cache.tiers(with: ImageRequest(url)) == .disk)
        #expect(await test.pipeline.cache.tiers(with: ImageRequest(url, options: small)) == [])
    }

    @Test("keep images of a file apart")
    func file() async throws {
        let path = TestPipeline.temporaryPath()
        try Sample.png().write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let small: [ImageOption] = [.value("small", for: RenditionKey.self)]
        for options in [[], small] {
            let request = ImageRequest(.file(path), options: options)
            #expect(try await test.pipeline.response(for: request).source == .file)
            #expect(try await test.pipeline.response(for: request).source == .memory)
        }
    }

    @Test("keep nothing apart without a name: work is shared")
    func sharing() async throws {
        let tasks = ["a", "b"].map { test.pipeline.task(for: url, options: [.value($0, for: NoteKey.self)]) }
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 2 }
        #expect(test.pipeline.stages.images.count == 1)
        transfer.answer(.init(body: Sample.png()))
        for task in tasks { #expect(try await task.response.source == .network) }
        #expect(test.pipeline.responseFromMemory(for: url, options: [.value("c", for: NoteKey.self)]) != nil)
    }

    @Test("are read by interceptors, loaders and observers, those of the pipeline included")
    func readers() async throws {
        let (log, observer) = (CallLog(), RecordingObserver())
        let interceptor = TestInterceptor(preparing: { request in
            log.add("prepare \(request.options[NoteKey.self])")
            return request
        }) { load in
            log.add("load \(load.request.options[NoteKey.self])")
            return try await load.proceed()
        }
        let loader = SourceLoader { _, options in
            log.add("loader \(options[NoteKey.self])")
            return nil
        }
        let test = TestPipeline(
            defaultOptions: [.value("note", for: NoteKey.self)],
            observers: [observer],
            interceptors: [interceptor],
            loaders: [loader]
        )
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url)
        #expect(log.texts == ["prepare note", "loader note", "load note"])
        #expect(!observer.all.isEmpty && observer.all.allSatisfy { $0.options[NoteKey.self] == "note" })
        #expect(test.pipeline.responseFromMemory(for: url, options: [.value("own", for: NoteKey.self)]) != nil)
        #expect(observer.all.last?.options[NoteKey.self] == "own")
    }
}
