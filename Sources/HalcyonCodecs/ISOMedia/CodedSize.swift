internal import HalcyonRaster

/// The size of coded images as their own headers state it, which is what a decoder takes memory and time for, whatever
/// the boxes around them say.
enum CodedSize: Equatable {
    /// There are no headers.
    case none
    /// The greatest width and height of all headers.
    case known(PixelSize)
    /// A header cannot be read.
    case unreadable

    /// Makes this the size of both.
    mutating func merge(_ other: CodedSize) {
        switch (self, other) {
        case (.unreadable, _), (_, .none): break
        case (_, .unreadable), (.none, _): self = other
        case (.known(let one), .known(let another)):
            self = .known(PixelSize(max(one.width, another.width), max(one.height, another.height)))
        }
    }
}
