/// A way on which a load gets its image.
enum LoadPath: String, CaseIterable, Sendable {
    /// `response(for:)` of an image in memory.
    case memory
    /// `response(for:)` of a processed image on disk.
    case storedResult
    /// `response(for:)` of a processed image whose original is on disk.
    case storedOriginal
    case network
    case provider
    case file
    /// `task(for:)` while another load of the same URL, without the option, waits for its server.
    case joined
    /// `responseFromMemory(for:)` of an image in memory.
    case lookUp
    /// `responseFromCache(for:)` of an original on disk.
    case blockingLookUp
    /// `encoded(for:as:)` of an image from a server.
    case encoded
    /// `ImagePrefetcher` to disk, of an image from a server.
    case prefetch

    /// The ways on which a request is sent, whatever the options.
    static let sending: [LoadPath] = [.network, .joined, .encoded, .prefetch]
    /// The other ones.
    static let local: [LoadPath] = [
        .memory, .storedResult, .storedOriginal, .provider, .file, .lookUp, .blockingLookUp,
    ]
    /// The ways that begin with caches that have something of the image.
    static let cached: [LoadPath] = [.memory, .storedResult, .storedOriginal, .lookUp, .blockingLookUp]
    /// The ways that begin with empty caches.
    static let cold: [LoadPath] = [.network, .provider, .file, .joined, .encoded, .prefetch]
    /// The ways that give an image that was decoded from its original with these options.
    static let decoding: [LoadPath] = [
        .memory, .storedResult, .storedOriginal, .network, .provider, .file, .joined, .blockingLookUp, .encoded,
    ]
}

/// A reason why an option cannot matter on a way. The outcome is then the same with it and without it.
enum PathReason: String, CaseIterable, Sendable {
    /// No request is sent.
    case nothingIsSent
    /// The caches have nothing of the image.
    case nothingIsCached
    /// No source fails.
    case nothingFails
    /// The image comes from an earlier place than the one that the option is about.
    case answeredBefore
    /// What the option says of an entry counts when it is stored, and this one was stored before.
    case storedBefore
    /// The other load stores the same.
    case storedByOther
    /// A source on this machine is not copied to the disk.
    case notKeptOnDisk
    /// The way ends before memory.
    case notKeptInMemory
    /// Memory is not read.
    case memoryIsNotRead
    /// Memory has no image of that original.
    case nothingIsInMemory
    /// No original on disk is read.
    case diskIsNotRead
    /// No server decides how long the image may be used.
    case noServerDecides
    /// The source has no address.
    case noAddress
    /// The bytes of the original are all that is stored.
    case storesOriginalsOnly
    /// No image is handed out, or only its encoded bytes.
    case nothingIsDelivered
    /// The encoded bytes are always sRGB.
    case encodesStandardColors
    /// The encoded form has an encoding of its own.
    case encodesByItself
    /// The original is neither at hand nor on disk.
    case noOriginal
    /// Limits are for bytes from elsewhere, and these were made here.
    case trustsOwnResults
    /// No callback is made.
    case noCallback
    /// There is no task that could hand out previews.
    case noTask
    /// The call returns on the thread of the caller, with that thread's urgency.
    case answeredAtOnce
    /// The prefetcher's own value takes the place of the option.
    case prefetcherDecides
    /// The store is waited for in any case.
    case waitsAnyway
    /// From where the option acts on, the way is that of `network`.
    case asFromNetwork
    /// From where the option acts on, the way is that of `storedOriginal`.
    case asFromDisk
}
