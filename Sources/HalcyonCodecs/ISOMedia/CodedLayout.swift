internal import HalcyonRaster

/// The planes that a decoder makes of a coded image, as its sequence parameter sets (HEVC) or sequence headers (AV1)
/// state them: all of these must agree where a library puts several images together.
struct PlaneLayout: Equatable {
    /// As shown: without what the coding adds to fill its blocks.
    let size: PixelSize
    /// 0 for grey, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4 (`chroma_format_idc`).
    let chroma: Int
    /// Bits of a sample of brightness and of colour.
    let depths: [Int]
}

/// The layout that all headers of a coded image state together.
enum CodedLayout: Equatable {
    /// There are no headers.
    case none
    /// All say the same.
    case known(PlaneLayout)
    /// They differ, one cannot be read, or a frame states a size of its own.
    case contradictory

    /// Makes this what both say.
    mutating func merge(_ other: CodedLayout) {
        switch (self, other) {
        case (_, .none), (.contradictory, _): break
        case (.none, _): self = other
        case (.known, _): self = self == other ? self : .contradictory
        }
    }
}
