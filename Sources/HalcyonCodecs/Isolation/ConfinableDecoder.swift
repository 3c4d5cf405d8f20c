package import FoundationEssentials

/// A decoder whose work a worker can do in its place. Equal types are taken to do the same.
package protocol ConfinableDecoder: ImageDecoder {
    /// The code that reads untrusted bytes.
    var confinement: DecoderConfinement { get }

    /// Loads what the library loads on first use, such as plug-ins and tables, and returns the files and folders that decoding
    /// reads. Called in the process from which workers are forked: no thread may be left. Default: decodes bytes that are
    /// no image, and returns nothing.
    func prepareForWorkers() -> [String]
}

extension ConfinableDecoder {
    package func prepareForWorkers() -> [String] {
        _ = try? decode(Data(count: 64), options: DecodeOptions(), isCancelled: { false })
        return []
    }
}

/// The code of a decoder that reads untrusted bytes, by which it is confined.
package struct DecoderConfinement: Sendable, Hashable {
    /// The worker that does the work.
    package let kind: WorkerKind
    /// A Boolean value that indicates whether a library reads pixels.
    package let usesLibrary: Bool
    /// A Boolean value that indicates whether a library reads the header and the metadata, too.
    package let usesLibraryForHeader: Bool

    private init(_ kind: WorkerKind, usesLibrary: Bool = true, usesLibraryForHeader: Bool = false) {
        self.kind = kind
        self.usesLibrary = usesLibrary
        self.usesLibraryForHeader = usesLibraryForHeader
    }

    /// All of it is this package's own.
    package static let ownCode = DecoderConfinement(.stills, usesLibrary: false)
    /// A library reads pixels.
    package static let library = DecoderConfinement(.stills)
    /// A library reads everything.
    package static let wholeLibrary = DecoderConfinement(.stills, usesLibraryForHeader: true)
    /// A library that starts threads reads everything.
    package static let threadedLibrary = DecoderConfinement(.stillsWithThreads, usesLibraryForHeader: true)
    /// Libraries read everything of a video.
    package static let video = DecoderConfinement(.videos, usesLibraryForHeader: true)
    /// A library draws.
    package static let drawing = DecoderConfinement(.drawings, usesLibraryForHeader: true)

    /// Returns how a decoder is confined: one of the program's own reads with code that nobody knows.
    package static func of(_ decoder: any ImageDecoder) -> DecoderConfinement {
        (decoder as? any ConfinableDecoder)?.confinement ?? .wholeLibrary
    }
}

/// Puts decoders that work elsewhere in the place of decoders.
package protocol DecoderIsolation: AnyObject, Sendable {
    /// A Boolean value that indicates whether colours are converted where the image is decoded, and not where that takes
    /// the least time.
    var convertsColors: Bool { get }

    /// Returns the decoder to use in place of another; that one, if it may be used here.
    func isolated(_ decoder: any ImageDecoder) -> any ImageDecoder
}

/// A decoder that does all that ``ImageCodecs/decode(_:options:isCancelled:)`` does with an image: bounds its bitmap, and
/// converts its colours.
package protocol WholeImageDecoder: ImageDecoder {
    /// Decodes an image.
    ///
    /// - Throws: ``CodecError``, `CancellationError`.
    func wholeImage(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage
}
