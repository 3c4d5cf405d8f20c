internal import Halcyon

/// The positions of the images on a contact sheet.
struct ContactSheetLayout {
    /// The rectangle of each image, in their order.
    let frames: [PixelRect]
    /// The height of the whole sheet.
    let height: Int
    /// The corner radius of each image.
    let cornerRadius: Double

    /// Fills row after row, no taller than `rowHeight`, and lower where the sheet would have more than `pixelLimit`
    /// pixels.
    ///
    /// - Parameter ratios: The width over height of each image.
    init(ratios: [Double], width: Int, rowHeight: Int, pixelLimit: Int) {
        var rowHeight = rowHeight
        var rows = ContactSheetRows(ratios: ratios, width: width, rowHeight: rowHeight)
        while rows.height * width > pixelLimit, rowHeight > 1 {
            rowHeight = max(1, rowHeight * 15 / 16)
            rows = ContactSheetRows(ratios: ratios, width: width, rowHeight: rowHeight)
        }
        frames = rows.frames
        height = rows.height
        cornerRadius = Double(rowHeight) / 30
    }
}

/// A layout with rows of a given height.
private struct ContactSheetRows {
    private let width: Int
    private let rowHeight: Int
    private let gap: Int
    private(set) var frames: [PixelRect] = []
    private(set) var height: Int

    init(ratios: [Double], width: Int, rowHeight: Int) {
        self.width = width
        self.rowHeight = rowHeight
        gap = rowHeight / 20
        height = gap
        var rest = ratios[...]
        while !rest.isEmpty {
            let row = row(at: rest)
            append(row, isFull: row.reduce(0, +) * Double(rowHeight) >= available(row.count))
            rest = rest.dropFirst(row.count)
        }
        height = max(height, 1)
    }

    /// Returns as many images as fill a row, at least one.
    private func row(at rest: ArraySlice<Double>) -> ArraySlice<Double> {
        var ratioSum = 0.0
        var end = rest.startIndex
        while end < rest.endIndex {
            let count = end - rest.startIndex
            guard count == 0 || ratioSum * Double(rowHeight) < available(count) else { break }
            ratioSum += rest[end]
            end += 1
        }
        return rest[..<end]
    }

    /// Appends a row, whose height is reduced a little so that its images reach from edge to edge; the last one keeps
    /// the usual height and may end early.
    private mutating func append(_ ratios: ArraySlice<Double>, isFull: Bool) {
        let height = isFull ? max(1, Int(available(ratios.count) / ratios.reduce(0, +))) : rowHeight
        var widths = ratios.map { max(1, Int(($0 * Double(height)).rounded())) }
        if isFull {
            // Rounding left a few pixels over or short; the widest image takes them.
            let difference = Int(available(ratios.count)) - widths.reduce(0, +)
            if let widest = widths.indices.max(by: { widths[$0] < widths[$1] }) {
                widths[widest] = max(1, widths[widest] + difference)
            }
        }
        var x = gap
        for width in widths {
            frames.append(PixelRect(x: x, y: self.height, width: width, height: height))
            x += width + gap
        }
        self.height += height + gap
    }

    /// Returns the width that this many images may take in a row.
    private func available(_ count: Int) -> Double {
        Double(width - gap * (count + 1))
    }
}
