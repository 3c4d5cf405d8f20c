package import HalcyonRaster

extension HEIFGeometry {
    /// Refuses an image whose overlays take far more drawing than pixels of the limits: their canvases and what they
    /// draw on them count, whatever their parts are coded as, and as often as they are drawn.
    package func checkDrawing(of item: Int, limits: DecodeLimits) throws(CodecError) {
        var known: [Int: SaturatingCount] = [:]
        let count = try drawnPixelCount(of: item, depth: 0, &known)
        guard count <= SaturatingCount(limits.pixelCount) * 4 else {
            throw .corrupt(coded.format, reason: "its overlays have far more pixels than it has")
        }
    }

    private func drawnPixelCount(
        of item: Int,
        depth: Int,
        _ known: inout [Int: SaturatingCount]
    ) throws(CodecError) -> SaturatingCount {
        if let count = known[item] { return count }
        // Those that are deeper were refused.
        guard depth < HEIFItemReferences.greatestDepth else {
            throw .corrupt(coded.format, reason: "images inside of images")
        }
        var count: SaturatingCount = 0
        if let composition = try composition(of: item) {
            let canvas = composition.size.pixelCount
            count += canvas
            for part in composition.parts {
                count += min(coded.items[part]?.size?.pixelCount ?? canvas, canvas)
            }
        }
        for part in Set(coded.references.parts(of: item)) {
            count += try drawnPixelCount(of: part, depth: depth + 1, &known)
        }
        known[item] = count
        return count
    }

    /// Returns the orientation of an image that libheif does not put together.
    package func orientation(ofComposed item: Int) throws(CodecError) -> Orientation {
        var (quarters, mirroring) = (0, Orientation.Mirroring?.none)
        for transformation in coded.items[item]?.transformations ?? [] {
            switch transformation.type {
            case "irot" where mirroring == nil: quarters = transformation.value & 3
            case "imir": mirroring = transformation.value & 1 == 0 ? .topToBottom : .leftToRight
            default:
                throw .unsupported(coded.format, reason: "an overlay that is cropped, or mirrored and turned")
            }
        }
        return Orientation(quartersCounterClockwise: quarters, mirroring: mirroring)
    }
}
