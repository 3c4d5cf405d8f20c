/// Finds the colours that stand best for an image's (Heckbert, "Color image quantization for frame buffer display",
/// 1982): boxes of colours are cut in two, the one with the largest error first.
struct MedianCut {
    /// Colours whose upper five bits are the same, taken together.
    private struct Bin {
        var count = 0
        var sums = (red: 0, green: 0, blue: 0)

        subscript(channel: Int) -> Double {
            let sum = channel == 0 ? sums.red : channel == 1 ? sums.green : sums.blue
            return Double(sum) / Double(count)
        }
    }

    private struct Box {
        let bins: ArraySlice<Int>
        let channel: Int
        /// The sum of squared distances from the mean along `channel`, which is the widest.
        let error: Double
        let mean: [Double]
    }

    private var bins: [Bin]

    /// At most `count` colours, 0x00BBGGRR, of the pixels that are not transparent; empty where all are.
    static func palette(of pixels: UnsafeBufferPointer<UInt32>, count: Int) -> [UInt32] {
        let cutter = MedianCut(pixels)
        guard !cutter.bins.isEmpty else {
            return []
        }
        return cutter.boxes(count: count).map { box in
            (0..<3).reduce(0) { color, channel in
                color | UInt32(box.mean[channel].rounded()) << UInt32(8 * channel)
            }
        }
    }

    private init(_ pixels: UnsafeBufferPointer<UInt32>) {
        var all = [Bin](repeating: Bin(), count: 1 << 15)
        for pixel in pixels where pixel != GIFIndexedImage.transparent {
            let key = MedianCut.key(pixel)
            all[key].count += 1
            all[key].sums.red += Int(pixel & 0xFF)
            all[key].sums.green += Int(pixel >> 8 & 0xFF)
            all[key].sums.blue += Int(pixel >> 16 & 0xFF)
        }
        bins = all.filter { $0.count > 0 }
    }

    /// The upper five bits of each channel.
    static func key(_ pixel: UInt32) -> Int {
        let red = pixel >> 3 & 0x1F
        let green = pixel >> 6 & 0x3E0
        let blue = pixel >> 9 & 0x7C00
        return Int(red | green | blue)
    }

    private func boxes(count: Int) -> [Box] {
        var boxes = [box(Array(bins.indices)[...])]
        while boxes.count < count {
            guard let widest = boxes.indices.max(by: { boxes[$0].error < boxes[$1].error }), boxes[widest].error > 0
            else {
                break
            }
            let (lower, upper) = halves(of: boxes[widest])
            boxes[widest] = box(lower)
            boxes.append(box(upper))
        }
        return boxes
    }

    private func box(_ members: ArraySlice<Int>) -> Box {
        let weight = members.reduce(0.0) { $0 + Double(bins[$1].count) }
        let mean = (0..<3).map { channel in
            members.reduce(0.0) { $0 + bins[$1][channel] * Double(bins[$1].count) } / weight
        }
        let errors = (0..<3).map { channel in
            members.reduce(0.0) { sum, member in
                let distance = bins[member][channel] - mean[channel]
                return sum + distance * distance * Double(bins[member].count)
            }
        }
        let channel = (0..<3).max { errors[$0] < errors[$1] } ?? 0
        return Box(bins: members, channel: channel, error: members.count > 1 ? errors[channel] : 0, mean: mean)
    }

    /// Cuts at the mean, which leaves a smaller error than the median where few colours are frequent.
    private func halves(of box: Box) -> (lower: ArraySlice<Int>, upper: ArraySlice<Int>) {
        let sorted = box.bins.sorted { bins[$0][box.channel] < bins[$1][box.channel] }
        let mean = box.mean[box.channel]
        let cut = sorted.firstIndex { bins[$0][box.channel] > mean } ?? sorted.count - 1
        let place = min(max(cut, 1), sorted.count - 1)
        return (sorted[..<place], sorted[place...])
    }
}
