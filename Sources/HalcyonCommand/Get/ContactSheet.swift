internal import Halcyon

/// All images on one: rows of equal height, each as wide as the sheet, every image whole.
struct ContactSheet {
    private static let sheetWidth = 1280
    private static let rowHeight = 240
    private static let gap = 12
    private static let cornerRadius = 8.0

    private let bitmaps: [Bitmap]

    init(_ bitmaps: [Bitmap]) {
        self.bitmaps = bitmaps
    }

    func drawn() throws -> Bitmap {
        let rows = rows()
        let height = rows.reduce(Self.gap) { $0 + $1.height + Self.gap }
        var sheet = try Bitmap(size: PixelSize(Self.sheetWidth, height))
        sheet.fill(PixelRect(x: 0, y: 0, width: Self.sheetWidth, height: height), with: Color(white: 0.13))
        var y = Self.gap
        for row in rows {
            var x = Self.gap
            for (index, width) in zip(row.indices, row.widths) {
                let tile = try bitmaps[index]
                    .resampled(to: PixelSize(width, row.height))
                    .roundingCorners(radius: Self.cornerRadius)
                sheet.draw(tile, at: PixelPoint(x, y))
                x += width + Self.gap
            }
            y += row.height + Self.gap
        }
        sheet.isOpaque = true
        return sheet
    }

    private struct Row {
        let indices: Range<Int>
        let widths: [Int]
        let height: Int
    }

    /// Fills row after row. A row's height gives in a little so that its images reach from edge to edge; the last one
    /// keeps the usual height and may end early.
    private func rows() -> [Row] {
        var rows: [Row] = []
        var first = 0
        while first < bitmaps.count {
            var end = first
            var ratioSum = 0.0
            while end < bitmaps.count, end == first || ratioSum * Double(Self.rowHeight) < available(end - first) {
                ratioSum += ratio(end)
                end += 1
            }
            let isFull = ratioSum * Double(Self.rowHeight) >= available(end - first)
            let height = isFull ? Int(available(end - first) / ratioSum) : Self.rowHeight
            rows.append(row(first..<end, height: max(1, height), isFull: isFull))
            first = end
        }
        return rows
    }

    private func row(_ indices: Range<Int>, height: Int, isFull: Bool) -> Row {
        var widths = indices.map { max(1, Int((ratio($0) * Double(height)).rounded())) }
        if isFull {
            // Rounding left a few pixels over or short; the widest image takes them.
            let difference = Int(available(indices.count)) - widths.reduce(0, +)
            if let widest = widths.indices.max(by: { widths[$0] < widths[$1] }) {
                widths[widest] = max(1, widths[widest] + difference)
            }
        }
        return Row(indices: indices, widths: widths, height: height)
    }

    /// Width over height, within what a row can show.
    private func ratio(_ index: Int) -> Double {
        min(5, max(0.2, Double(bitmaps[index].width) / Double(bitmaps[index].height)))
    }

    /// The width that this many images may take in a row.
    private func available(_ count: Int) -> Double {
        Double(Self.sheetWidth - Self.gap * (count + 1))
    }
}
