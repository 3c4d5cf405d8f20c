public import HalcyonCodecs

/// An image of lower quality to show until the requested one is loaded.
public struct ImagePreview: Sendable {
    /// The preview and its provenance.
    public let response: ImageResponse
    /// The source that the preview came from: one of ``ImageOptions/previews``, or that of the image itself.
    public let source: Source
    /// The place of the source in ``ImageOptions/previews``, from 0; the number of those for a preview that was made of
    /// the image's own bytes. Of two previews the one with the higher number is the better.
    public let quality: Int
    /// The part of the image that had arrived; `nil` for a preview that was loaded from a source of its own, and for a
    /// thumbnail that the image embeds.
    public let progress: IncrementalProgress?
    /// The number of the preview among those that were made of the same bytes, from 1; 0 for others.
    private let number: UInt64

    /// The preview.
    public var image: DecodedImage { response.image }

    init(
        response: ImageResponse,
        source: Source,
        quality: Int,
        progress: IncrementalProgress? = nil,
        number: UInt64 = 0
    ) {
        self.response = response
        self.source = source
        self.quality = quality
        self.progress = progress
        self.number = number
    }
}

extension ImagePreview {
    /// The order in which previews follow each other.
    struct Rank: Comparable {
        var quality: Int
        var number: UInt64

        static func < (left: Rank, right: Rank) -> Bool {
            (left.quality, left.number) < (right.quality, right.number)
        }
    }

    /// The rank of the preview. One with gaps comes before all that have none.
    var rank: Rank {
        let hasGaps = progress.map { $0.coverage < 1 } ?? false
        return Rank(quality: hasGaps ? -1 : quality, number: number)
    }
}
