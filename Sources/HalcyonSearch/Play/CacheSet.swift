internal import Halcyon
internal import HalcyonStore

/// The caches of a pipeline, and those that options of calls name. Each is in one of the groups alone, as the images of
/// one cache would otherwise come back from another.
struct CacheSet: Sendable {
    /// Those of the pipeline.
    let main: ImageCacheGroup
    /// Those of `Settings.Caches.other`; `nil` if no call names them.
    private(set) var other: ImageCacheGroup?
    /// That of the results of `Settings.Caches.separate`.
    private(set) var results: ImageCacheGroup?
    /// That of the originals of `Settings.Caches.separate`.
    private(set) var originals: ImageCacheGroup?

    /// - Parameters:
    ///   - program: The program that names the caches and their policies.
    ///   - makeCache: Returns a cache whose folder has this name.
    init(of program: Program, makeCache: (String) -> ImageCache) {
        func group(_ name: String) -> ImageCacheGroup {
            guard let policies = program.caches else { return ImageCacheGroup(makeCache(name)) }
            return ImageCacheGroup(
                makeCache(name),
                [makeCache(name + "-lower")],
                lookup: policies.lookup.policy,
                storing: policies.storing.policy,
                containing: policies.containing.policy,
                removing: policies.removing.policy,
                clearing: policies.clearing.policy,
                promotes: policies.promotes
            )
        }
        main = group("main")
        let named = program.namedCaches
        if named.contains(.other) { other = group("other") }
        if named.contains(.separate) {
            results = ImageCacheGroup(makeCache("results"))
            originals = ImageCacheGroup(makeCache("originals"))
        }
    }

    /// All groups.
    var groups: [ImageCacheGroup] { [main] + [other, results, originals].compactMap(\.self) }

    /// All caches.
    var caches: [ImageCache] { groups.flatMap(\.caches) }

    /// Returns the group that loads of a call look into.
    func group(of call: Call) -> ImageCacheGroup {
        switch call.settings?.caches {
        case nil: main
        case .other: other ?? main
        case .separate: results ?? main
        }
    }
}

extension CacheArrangement.Reach {
    fileprivate var policy: ImageCacheGroup.Policy {
        switch self {
        case .all: .all
        case .highest: .highest
        case .lowest: .lowest
        }
    }
}
