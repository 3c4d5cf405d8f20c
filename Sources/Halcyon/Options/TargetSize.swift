internal import HalcyonRaster

/// The size of the place that an image is shown in, at which it is decoded.
///
/// An image that is smaller than that stays as it is.
public struct TargetSize: Sendable, Hashable {
    /// The rule for a width and a height whose ratio is not that of the image.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// No side is longer than asked for.
        case fit
        /// No side is shorter than asked for. The whole image is kept: the place that shows it cuts off what extends
        /// beyond it.
        case fill
    }

    /// The width, in ``unit``; `nil`: any.
    public let width: Double?
    /// The height, in ``unit``; `nil`: any.
    public let height: Double?
    /// The unit of the width and the height.
    public let unit: Unit
    /// The rule for sides of another ratio. Without a width or without a height, both rules are the same.
    public let mode: Mode

    /// The unit of a length.
    public enum Unit: Sendable, Hashable, CaseIterable {
        /// Pixels of the image.
        case pixels
        /// Points, which become pixels by ``DeliveryPolicy/scale``.
        case points
    }

    /// Creates a size. A side that is not greater than 0, or not finite, is any.
    private init(_ width: Double?, _ height: Double?, _ unit: Unit, _ mode: Mode) {
        func side(_ length: Double?) -> Double? { length.flatMap { $0 > 0 && $0 < .infinity ? $0 : nil } }
        self.width = side(width)
        self.height = side(height)
        self.unit = unit
        self.mode = self.width == nil || self.height == nil ? .fit : mode
    }

    /// Returns a size in pixels. Without a width and a height, it is that of the image.
    ///
    /// - Parameters:
    ///   - width: The width; `nil`, or less than 1: any. Default: `nil`.
    ///   - height: The height; `nil`, or less than 1: any. Default: `nil`.
    ///   - mode: The rule for sides of another ratio. Default: ``Mode/fit``.
    public static func pixels(width: Int? = nil, height: Int? = nil, mode: Mode = .fit) -> TargetSize {
        TargetSize(width.map(Double.init), height.map(Double.init), .pixels, mode)
    }

    /// Returns a size in points, which become pixels by ``DeliveryPolicy/scale``. Without a width and a height, it is
    /// that of the image.
    ///
    /// - Parameters:
    ///   - width: The width; `nil`, or not greater than 0: any. Default: `nil`.
    ///   - height: The height; `nil`, or not greater than 0: any. Default: `nil`.
    ///   - mode: The rule for sides of another ratio. Default: ``Mode/fit``.
    public static func points(width: Double? = nil, height: Double? = nil, mode: Mode = .fit) -> TargetSize {
        TargetSize(width, height, .points, mode)
    }

    /// The chain that makes an image of this size; the identity if no side is given.
    var processing: ImageProcessorChain {
        width == nil && height == nil ? .identity : ImageProcessorChain(TargetSizeProcessor(size: self))
    }

    /// Returns the size in pixels at a scale, each side rounded to nearest and at least 1.
    func inPixels(atScale scale: Double) -> TargetSize {
        guard unit == .points else { return self }
        // No longer than the longest that there is: a product that is not finite would count as any.
        func side(_ length: Double?) -> Double? { length.map { min(max(1, ($0 * scale).rounded()), 1e9) } }
        return TargetSize(side(width), side(height), .pixels, mode)
    }

    /// The box that the image has to fit into or to cover, a point counting as a pixel. A side that is any counts as
    /// the longest that there is.
    var box: PixelSize {
        func side(_ length: Double?) -> Int {
            length.map { $0 < 1e9 ? max(1, Int($0.rounded())) : 1_000_000_000 } ?? .max
        }
        return PixelSize(side(width), side(height))
    }

    /// The rule for the box.
    var resizeMode: ResizeMode { mode == .fit ? .fit : .fill }

    /// Returns the size of an image that is made for this target.
    func size(of image: PixelSize) -> PixelSize {
        resizeMode.resultSize(of: image, in: box, enlarges: false)
    }
}
