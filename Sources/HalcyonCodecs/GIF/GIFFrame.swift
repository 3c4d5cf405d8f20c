internal import HalcyonRaster

/// One image of a file: its descriptor (GIF89a, 20), the graphic control before it (23), and where its data lie.
struct GIFFrame {
    /// The graphic control in front of an image or a text, which holds for that one only.
    struct Control {
        var disposal = FrameDescription.Disposal.keep
        /// Hundredths of a second.
        var delay = 0
        var transparentIndex: UInt8?
    }

    let left: Int
    let top: Int
    let size: PixelSize
    let isInterlaced: Bool
    /// The place of the image's own palette.
    let palette: Range<Int>?
    let control: Control
    let minimumCodeSize: Int
    /// The sub-blocks with their lengths, as far as the file has them.
    let dataRange: Range<Int>
    /// A Boolean value that indicates whether the empty sub-block at the end of the data is missing.
    let isCutShort: Bool

    /// Reads what follows the image separator; `nil` where the file ends before the data begin.
    init?(_ reader: inout GIFReader, control: Control) {
        guard let left = reader.number(), let top = reader.number(),
            let width = reader.number(), let height = reader.number(),
            let flags = reader.byte()
        else {
            return nil
        }
        if flags & 0x80 != 0 {
            guard let palette = reader.range(count: 3 * (2 << Int(flags & 7))) else {
                return nil
            }
            self.palette = palette
        } else {
            palette = nil
        }
        guard let codeSize = reader.byte() else {
            return nil
        }
        self.left = left
        self.top = top
        size = PixelSize(width, height)
        isInterlaced = flags & 0x40 != 0
        minimumCodeSize = Int(codeSize)
        self.control = control
        let start = reader.offset
        isCutShort = !reader.skipSubBlocks()
        dataRange = start..<reader.offset
    }

    /// Milliseconds.
    var duration: Int { control.delay * 10 }

    /// The part of the canvas that it is drawn on.
    var area: PixelRect { PixelRect(x: left, y: top, width: size.width, height: size.height) }

    /// Returns whether it is drawn on all of a part of the canvas.
    func covers(_ part: PixelRect) -> Bool { part.isEmpty || area.intersection(part) == part }
}

extension FrameDescription.Disposal {
    /// The values of bits 2 to 4 (GIF89a, 23); 4 was once written for 3, and the others mean nothing.
    init(gif value: UInt8) {
        switch value {
        case 2: self = .clear
        case 3, 4: self = .restore
        default: self = .keep
        }
    }
}
