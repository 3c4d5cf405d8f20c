/// The options of a call that few programs use.
struct Settings: Hashable, Codable, Sendable {
    // These are part of the name under which caches keep an image.
    var serializer: Serializer?
    /// A Boolean value that indicates whether the call has codecs of its own, which do the same as all others.
    var hasCodecs = false
    var hasTypeHint = false
    /// A Boolean value that indicates whether larger images than there are would be scaled down.
    var isBounded = false
    var reading: Reading?

    // These determine the caches, and the requests that they answer.
    var caches: Caches?
    /// A Boolean value that indicates whether the scope has the name of the user.
    var hasNamedScope = false

    // These are neither.
    var hasDownloader = false
    /// The signature in the address, which a rule of the program leaves out of the name; `nil` for none.
    var signature: Int?
    /// The spelling of the URLs; `nil` for the normal one. All of them name the same.
    var spelling: Spelling?
    var durability: Durability?
    var hasScale = false
    var hasModifier = false
    var includesData = false
    var executor: Executor?
    /// A Boolean value that indicates whether a larger image in memory may answer for one of a target size.
    var isInexact = false
    var isObserved = false
    var hasWorkers = false
    var lifetime: Lifetime?
    var staleIfError: StaleIfError?
    var bound: Bound?
    var hook: Hook?
    /// A Boolean value that indicates whether a failed source is tried once more.
    var retries = false
    var refusesMetered = false

    // These name other resources.
    /// The resource of a preview.
    var preview: Int?
    /// The resource that takes the place of one that fails.
    var alternative: Int?
    /// The resource that takes the place of one over a metered network.
    var lowData: Int?
    /// The form of these sources; `nil` for URLs.
    var otherForm: SourceForm?

    /// The pixels of a point, which lengths are multiplied by.
    var pixelsPerPoint: Double { hasScale ? 2 : 1 }

    /// The scale of the images that are delivered.
    var deliveredScale: Double { hasModifier ? 3 : pixelsPerPoint }

    /// The resources that the call may load beside its own.
    var others: Set<Int> { Set([preview, alternative, lowData].compactMap(\.self)) }
}

extension Settings {
    enum Serializer: String, Codable, Sendable, CaseIterable {
        case png, original, program
    }

    enum Executor: String, Codable, Sendable, CaseIterable {
        case calling, queue
    }

    enum Durability: String, Codable, Sendable, CaseIterable {
        case none, normal, full
    }

    /// The options of decoding that make no difference to the first frames of these images.
    enum Reading: String, Codable, Sendable, CaseIterable {
        case colorsAsStored, sixteenBits, embeddedThumbnail, videoFrame, firstFrame, allFrames, wholeImages, isolated,
            preloaded,
            allFramesPreloaded

        /// The readings that determine which frames an image has.
        static let ofFrames: [Reading] = [.firstFrame, .allFrames, .preloaded, .allFramesPreloaded]

        /// A Boolean value that indicates whether all frames are decoded before the image is delivered.
        var preloads: Bool { self == .preloaded || self == .allFramesPreloaded }

        /// A Boolean value that indicates whether processors run on all frames.
        var processesAllFrames: Bool { self == .allFrames || self == .allFramesPreloaded }
    }

    /// The spellings of a URL that mean the same.
    enum Spelling: String, Codable, Sendable, CaseIterable {
        case fragment, capitals, port, escapes, dots
    }

    /// The caches that options name. None of them is that of the pipeline, or another case's.
    enum Caches: String, Codable, Sendable, CaseIterable {
        /// A cache of its own.
        case other
        /// One cache, and another one for the originals of processed images.
        case separate
    }

    /// The time that an image is kept.
    enum Lifetime: String, Codable, Sendable, CaseIterable {
        case memoryNever, diskNever, memoryStays, diskStays
    }

    enum StaleIfError: String, Codable, Sendable, CaseIterable {
        case always, never
    }

    /// The bounds that no image and no transfer of a program exceeds.
    enum Bound: String, Codable, Sendable, CaseIterable {
        case pixels, time, bytes
    }

    /// The hooks and filters, all of which let everything pass, and options of which a call shows nothing at its end.
    enum Hook: String, Codable, Sendable, CaseIterable {
        case hooks, unnamedHooks, statusCodes, contentTypes, interceptor, loader, value, progressive
    }
}
