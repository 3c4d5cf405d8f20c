import Testing

@testable import Halcyon

/// Every processor of the module, each with parameters that differ by little. A new processor gets a family here, and a
/// line in `PinnedIdentityTests`.
enum ProcessorExamples {
    /// The processors of one type.
    struct Family: CustomTestStringConvertible, Sendable {
        let name: String
        let chains: [ImageProcessorChain]

        var testDescription: String { name }

        init(_ name: String, _ chains: [ImageProcessorChain]) {
            self.name = name
            self.chains = chains
        }
    }

    private static let size = ImageSize.pixels(1_000, 800)
    private static let line = Border(width: .pixels(3), color: .white)

    static let families = [
        Family(
            "resize",
            [
                .resize(to: size), .downsample(to: size), .resize(to: size, mode: .fill),
                .resize(to: size, mode: .stretch),
                .resize(to: .pixels(1_000, 801)), .resize(to: .pixels(800, 1_000)), .resize(to: .points(1_000, 800)),
                .resize(to: .points(1_000, 800.25)), .downsample(to: .points(1_000, 800)),
            ]
        ),
        Family(
            "target size",
            [
                ImageProcessorChain(TargetSizeProcessor(size: .pixels(width: 1_000, height: 800))),
                ImageProcessorChain(TargetSizeProcessor(size: .pixels(width: 1_000, height: 801))),
            ]
        ),
        Family(
            "crop",
            [
                .crop(to: size), .crop(to: size, anchor: .topLeft), .crop(to: size, anchor: .topRight),
                .crop(to: .pixels(800, 1_000)), .crop(to: .points(1_000, 800)), .crop(to: .points(1_000, 800.25)),
            ]
        ),
        Family(
            "crop area",
            [
                .crop(to: .pixels(x: 1, y: 2, width: 1_000, height: 800)),
                .crop(to: .pixels(x: 2, y: 1, width: 1_000, height: 800)),
                .crop(to: .pixels(x: 1, y: 2, width: 800, height: 1_000)),
                .crop(to: .points(x: 1, y: 2, width: 1_000, height: 800)),
                .crop(to: .points(x: 1, y: 2, width: 1_000, height: 800.5)),
                .crop(to: .relative(x: 0, y: 0, width: 0.5, height: 1)),
                .crop(to: .relative(x: 0, y: 0, width: 1, height: 0.5)),
                .crop(to: .relative(x: 0.5, y: 0, width: 0.5, height: 1)),
            ]
        ),
        Family(
            "orient",
            [
                .orient(.up), .flip(.horizontal), .flip(.vertical), .rotate(quarterTurns: 1), .rotate(quarterTurns: 2),
                .rotate(quarterTurns: 3), .orient(.leftMirrored), .orient(.rightMirrored),
            ]
        ),
        Family(
            "rotate",
            [
                .rotate(byDegrees: 30), .rotate(byDegrees: -30), .rotate(byDegrees: 30, expands: false),
                .rotate(byDegrees: 30, interpolation: .bilinear), .rotate(byDegrees: 30, background: .white),
                .rotate(byDegrees: 30, background: .black), .rotate(byDegrees: 30.5),
            ]
        ),
        Family(
            "round corners",
            [
                .roundCorners(radius: .points(5)), .roundCorners(radius: .pixels(5)),
                .roundCorners(radius: .widthFraction(5)), .roundCorners(radius: .heightFraction(5)),
                .roundCorners(radius: .shorterSideFraction(5)),
                .roundCorners(radius: .points(5), corners: .top), .roundCorners(radius: .points(5), corners: .left),
                .roundCorners(radius: .points(5), background: .white), .roundCorners(radius: .points(5), border: line),
                .roundCorners(radius: .points(5), border: line, background: .white),
                .roundCorners(radius: .points(5), border: Border(width: .pixels(3))),
                .roundCorners(RoundedCorners(topLeft: .points(5), topRight: .points(6))),
                .roundCorners(RoundedCorners(topLeft: .points(6), topRight: .points(5))),
            ]
        ),
        Family(
            "circle",
            [
                .circle(), .circle(border: line), .circle(background: .white),
                .circle(border: line, background: .white),
            ]
        ),
        Family(
            "border",
            [
                .border(line), .border(Border()), .border(Border(width: .pixels(4))),
                .border(Border(width: .shorterSideFraction(4))), .border(Border(width: .widthFraction(4))),
                .border(Border(width: .heightFraction(4))),
                .border(Border(width: .pixels(3), color: .white, placement: .centered)),
                .border(line, corners: RoundedCorners(.pixels(3))),
                .border(line, corners: RoundedCorners(.pixels(3), corners: .bottom)),
            ]
        ),
    ]
}
