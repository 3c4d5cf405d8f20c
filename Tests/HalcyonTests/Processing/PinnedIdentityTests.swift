import Testing

@testable import Halcyon

/// Entries on disk are found by these texts: a change of one makes every cache load its images anew. Change a line only
/// together with the version of its processor.
@Suite("The encodings of processors")
struct PinnedIdentityTests {
    private static let pinned: [(chain: ImageProcessorChain, text: String)] = [
        (.resize(to: .pixels(40, 30)), "7Halcyon15ResizeProcessorV 1 40 30 fit true"),
        (
            .downsample(to: .points(40, 30)),
            "7Halcyon15ResizeProcessorV 1 40 30 fit false 40.0 30.0"
        ),
        (.crop(to: .pixels(40, 30)), "7Halcyon13CropProcessorV 1 40 30 0.5 0.5"),
        (
            .crop(to: .pixels(x: 1, y: 2, width: 40, height: 30)),
            "7Halcyon17CropAreaProcessorV 1 1 2 40 30"
        ),
        (
            .crop(to: .points(x: 1, y: 2, width: 40, height: 30)),
            "7Halcyon17CropAreaProcessorV 1 false 1.0 2.0 40.0 30.0"
        ),
        (
            .crop(to: .relative(x: 0, y: 0, width: 0.5, height: 1)),
            "7Halcyon17CropAreaProcessorV 1 true 0.0 0.0 0.5 1.0"
        ),
        (.rotate(quarterTurns: 1), "7Halcyon15OrientProcessorV 1 6"),
        (.flip(.vertical), "7Halcyon15OrientProcessorV 1 4"),
        (.rotate(byDegrees: 30), "7Halcyon15RotateProcessorV 1 30.0 true bicubic false"),
        (
            .rotate(byDegrees: 30, background: .white),
            "7Halcyon15RotateProcessorV 1 30.0 true bicubic true 1.0 1.0 1.0 1.0"
        ),
        (
            .roundCorners(radius: .points(5)),
            "7Halcyon21RoundCornersProcessorV 2 0 5.0 0 5.0 0 5.0 0 5.0 false false"
        ),
        (
            .roundCorners(
                RoundedCorners(topLeft: .widthFraction(0.5), topRight: .heightFraction(0.25)),
                border: Border(width: .pixels(3), placement: .centered),
                background: .clear
            ),
            "7Halcyon21RoundCornersProcessorV 2 1 0.5 2 0.25 3 0.0 3 0.0 "
                + "true 1 3.0 0.0 0.0 0.0 1.0 centered true 0.0 0.0 0.0 0.0"
        ),
        (.blur(radius: .pixels(2)), "7Halcyon13BlurProcessorV 1 1 2.0"),
        (.blur(radius: .heightFraction(0.5)), "7Halcyon13BlurProcessorV 1 3 0.5"),
        (.crop(to: .points(40, 30)), "7Halcyon13CropProcessorV 1 40 30 0.5 0.5 40.0 30.0"),
        (.circle(), "7Halcyon15CircleProcessorV 1 false false"),
        (
            .circle(border: Border(), background: .white),
            "7Halcyon15CircleProcessorV 1 true 0 4.0 0.0 0.0 0.0 1.0 inside true 1.0 1.0 1.0 1.0"
        ),
        (
            .border(Border(width: .shorterSideFraction(0.125))),
            "7Halcyon15BorderProcessorV 1 2 0.125 0.0 0.0 0.0 1.0 inside 3 0.0 3 0.0 3 0.0 3 0.0"
        ),
    ]

    @Test("stay as they are from release to release")
    func encodings() {
        for (chain, text) in Self.pinned {
            #expect(chain.steps.map { Self.text(of: $0.identity) } == [text])
        }
    }

    /// Returns the values of an encoding, with a space between each two; a question mark for what is none.
    private static func text(of bytes: [UInt8]) -> String {
        var rest = bytes[...]
        var values: [String] = []
        func number() -> UInt64 {
            let bytes = rest.prefix(8)
            rest = rest.dropFirst(8)
            return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        while let tag = rest.popFirst() {
            switch tag {
            case 1:
                let count = Int(number())
                values.append(String(decoding: rest.prefix(count), as: UTF8.self))
                rest = rest.dropFirst(count)
            case 2: values.append("\(Int64(bitPattern: number()))")
            case 3: values.append("\(Double(bitPattern: number()))")
            case 4: values.append("false")
            case 5: values.append("true")
            default: values.append("?")
            }
        }
        return values.joined(separator: " ")
    }
}
