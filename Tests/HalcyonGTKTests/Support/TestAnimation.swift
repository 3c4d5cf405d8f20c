import FoundationEssentials
import Halcyon

extension TestColor {
    /// Returns an animated image whose frames have these colours, one after the other.
    static func animation(
        _ colors: [TestColor] = [.red, .green, .blue],
        milliseconds: Int = 100,
        loopCount: Int = 0,
        width: Int = 80,
        height: Int = 80
    ) throws -> Data {
        let frames = try colors.map { AnimationFrame(bitmap: try $0.bitmap(width, height), duration: milliseconds) }
        return try ImageCodecs.standard.encode(frames, as: .png, loopCount: loopCount)
    }
}
