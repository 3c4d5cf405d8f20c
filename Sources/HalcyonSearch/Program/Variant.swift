internal import HalcyonRaster

/// The result that is made of an original.
struct Variant: Hashable, Codable, Sendable {
    /// The bounds of sides that programs use. Every size that follows from them is exact, without rounding.
    static let longestSides = [6, 24]
    /// The widths of target sizes that programs use.
    static let targetWidths = [6, 12, 48]

    /// The number of the frame.
    var frame = 0
    /// The most pixels that a side of the decoded image has; `nil`: any number.
    var longestSide: Int?
    /// The width of the target size, in pixels; `nil`: there is none.
    var targetWidth: Int?
    /// A Boolean value that indicates whether the first processor resizes, so that the decoder may save work.
    var isReduced = false
    /// The marks that later processors leave, in order.
    var marks: [UInt8] = []

    /// A Boolean value that indicates whether there is no processor, that of a target size included.
    var isUnprocessed: Bool { targetWidth == nil && !isReduced && marks.isEmpty }

    /// The variants whose images in memory may answer a request for this one with inexact precision.
    var largerVariants: [Variant] {
        // Marks are a column each, whatever the size of the image.
        guard let targetWidth, !isReduced, marks.isEmpty else { return [] }
        let larger = Self.targetWidths.filter { $0 > targetWidth }.map(Optional.some)
        return ([nil] + larger).map { width in
            var variant = self
            variant.targetWidth = width
            return variant
        }
    }
}

extension Variant: CustomStringConvertible {
    var description: String {
        var words: [String] = []
        if frame > 0 { words.append("frame \(frame)") }
        if let longestSide { words.append("sides up to \(longestSide)") }
        if let targetWidth { words.append("\(targetWidth) wide") }
        if isReduced { words.append("resized") }
        words += marks.map { "mark \($0)" }
        return words.isEmpty ? "as it is" : words.joined(separator: " |> ")
    }
}

/// The properties of an image's pixels, apart from the image that they are of.
struct Appearance: Hashable, Sendable {
    var frame = 0
    /// The size without the columns of marks.
    var size: PixelSize
    var marks: [UInt8] = []
}

extension Variant {
    /// Returns the appearance of the variant of an original.
    func appearance(isLarge: Bool) -> Appearance {
        let original = LabelledImage.size(isLarge: isLarge)
        // An original is wider than it is high.
        let width = [longestSide, targetWidth].compactMap(\.self).reduce(original.width, min)
        let size = PixelSize(width, original.height * width / original.width)
        return Appearance(frame: frame, size: isReduced ? LabelledImage.reducedSize : size, marks: marks)
    }
}

extension Appearance: CustomStringConvertible {
    var description: String {
        let words = frame > 0 ? ["frame \(frame)", "\(size)"] : ["\(size)"]
        return (words + marks.map { "mark \($0)" }).joined(separator: " |> ")
    }
}
