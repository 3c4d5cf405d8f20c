extension DecodedImage {
    /// Turns the pixels into sRGB, if they are not; ``colorProfile`` is `nil` afterwards.
    ///
    /// - Throws: `CancellationError`, once `isCancelled` says so.
    public mutating func convertToSRGB(isCancelled: () -> Bool = { false }) throws(CancellationError) {
        guard let colorProfile else { return }
        try bitmap.convertToSRGB(from: colorProfile, isCancelled: isCancelled)
        removeColorProfile()
    }

    /// The same image in the colours that `handling` calls for.
    package consuming func converted(
        _ handling: ColorHandling,
        isCancelled: () -> Bool = { false }
    ) throws(CancellationError) -> DecodedImage {
        if handling == .sRGB {
            try convertToSRGB(isCancelled: isCancelled)
        }
        return self
    }
}
