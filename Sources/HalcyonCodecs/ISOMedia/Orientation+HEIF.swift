internal import HalcyonRaster

extension Orientation {
    /// The direction in which `imir` mirrors an image (ISO/IEC 23008-12, 6.5.12).
    enum Mirroring {
        case topToBottom
        case leftToRight
    }

    /// A quarter turn counter-clockwise for each quarter, then the mirroring: the order that MIAF prescribes (ISO/IEC
    /// 23000-22, 7.3.6.7).
    init(quartersCounterClockwise quarters: Int, mirroring: Mirroring?) {
        switch (quarters & 3, mirroring) {
        case (0, nil): self = .up
        case (0, .leftToRight?): self = .upMirrored
        case (0, .topToBottom?): self = .downMirrored
        case (1, nil): self = .left
        case (1, .leftToRight?): self = .rightMirrored
        case (1, .topToBottom?): self = .leftMirrored
        case (2, nil): self = .down
        case (2, .leftToRight?): self = .downMirrored
        case (2, .topToBottom?): self = .upMirrored
        case (_, nil): self = .right
        case (_, .leftToRight?): self = .leftMirrored
        case (_, .topToBottom?): self = .rightMirrored
        }
    }
}
