internal import HalcyonRaster

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

extension DecodedImage {
    /// The image with 8 bits a sample.
    package consuming func withEightBits() throws(CodecError) -> DecodedImage {
        var image = self
        image.bitmap = try image.bitmap.withEightBits()
        return image
    }
}

extension ImageInfo {
    /// A Boolean value that indicates whether samples of more than 8 bits are in colours that become others in sRGB.
    package var hasWideColors: Bool {
        switch colorSpace {
        case .codePoints, .icc: bitDepth > 8
        case .sRGB, .gray, .cmyk: false
        }
    }
}

extension DecodeOptions {
    /// Returns whether colours are converted with all bits of a file, although the result has 8: in the light of a screen,
    /// its dark ones are further apart. Not where that would not fit, or would halve what may be handed out.
    package func convertsAllBits(of info: ImageInfo) -> Bool {
        !keepsSixteenBits && color == .sRGB && info.hasWideColors && bitmapLimit == nil
            && SaturatingCount(info.size.bitmapByteCount(depth: .sixteen)) * 3 <= SaturatingCount(limits.memory)
    }
}
