internal import Halcyon

/// The cache of a pipeline, and those that options of calls name.
struct CacheSet: Sendable {
    /// That of the pipeline.
    let main: ImageCache
    /// That of `Settings.Caches.other`; `nil` if no call names it.
    let other: ImageCache?
    /// That of the results of `Settings.Caches.separate`; `nil` if no call names it.
    let results: ImageCache?
    /// That of the originals of `Settings.Caches.separate`; `nil` if no call names it.
    let originals: ImageCache?

    /// - Parameters:
    ///   - program: The program whose calls name the caches.
    ///   - makeCache: Returns a cache whose folder has this name.
    init(of program: Program, makeCache: (String) -> ImageCache) {
        let named = program.namedCaches
        main = makeCache("main")
        other = named.contains(.other) ? makeCache("other") : nil
        results = named.contains(.separate) ? makeCache("results") : nil
        originals = named.contains(.separate) ? makeCache("originals") : nil
    }

    /// All caches. Originals are removed before results: in the other order, a load could store a result of an original
    /// that is not removed yet.
    var all: [ImageCache] { [main] + [other, originals, results].compactMap(\.self) }

    /// Returns the cache of the image that a call asks for.
    func cache(of call: Call) -> ImageCache {
        switch call.settings?.caches {
        case nil: main
        case .other: other ?? main
        case .separate: results ?? main
        }
    }
}
