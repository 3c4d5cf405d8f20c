internal import HalcyonCodecs

/// A preview that was made of the bytes of a transfer so far, for all loads that share it.
struct ProgressivePreview: Sendable {
    /// Rises with each preview, whichever transfer it is of.
    let number: UInt64
    let response: ImageResponse
    /// `nil` for a thumbnail that the image embeds.
    let progress: IncrementalProgress?
}
