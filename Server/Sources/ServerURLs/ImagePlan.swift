/// What a URL asks for: a source, the changes to its image in a fixed order, and the form of the answer.
///
/// Every dialect of URLs becomes a plan, so that equal images are one entry of the caches, whatever the dialect.
/// The order: ``trim``, ``crop``, ``quarterTurns``, flips, ``size``, ``effects``, ``padding``, ``background``,
/// ``watermark``; ``turnsBeforeCrop`` and ``flipsAfterSize`` change it.
public struct ImagePlan: Sendable, Hashable {
    /// The source as the URL has it, without its percent-encoding: a URL, or a path below the server's base.
    public var source: String
    /// The border of one colour to remove. Default: `nil`.
    public var trim: Trim?
    /// The part to cut out before resizing. Default: `nil`, the whole image.
    public var crop: Crop?
    /// Turns by 90° clockwise. Default: 0.
    public var quarterTurns = 0
    /// A Boolean value that indicates whether the crop is a part of the turned image. Default: `false`.
    public var turnsBeforeCrop = false
    /// A Boolean value that indicates whether left and right change places. Default: `false`.
    public var flipsHorizontally = false
    /// A Boolean value that indicates whether top and bottom change places. Default: `false`.
    public var flipsVertically = false
    /// A Boolean value that indicates whether it is the resized and cut image that is flipped. Default: `false`.
    public var flipsAfterSize = false
    /// The size of the result. Default: that of the image.
    public var size = Size()
    /// The filters, in their order. Default: none.
    public var effects: [Effect] = []
    /// The space added at the sides, in pixels. Default: none.
    public var padding = Padding()
    /// The colour behind the image. Default: `nil`; white in a format without transparency.
    public var background: PlanColor?
    /// The server's watermark. Default: `nil`.
    public var watermark: Watermark?
    /// The form of the answer.
    public var output = Output()
    /// What the answer says of itself.
    public var delivery = Delivery()

    /// A plan that changes nothing.
    public init(source: String) {
        self.source = source
    }
}

extension ImagePlan {
    /// The part of an image that stays when something is cut off, or its place in a larger area.
    public enum Gravity: Sendable, Hashable {
        /// A point of the image comes to the same point of the area: (0, 0) top left, (1, 1) bottom right. The
        /// offsets lead away from the nearest edges, or from the middle to the right and down; below 1 they are
        /// parts of the sides of the image.
        case anchor(x: Double, y: Double, offsetX: Double = 0, offsetY: Double = 0)
        /// This point of the image, in parts of its sides, is in the middle, as far as the edges allow; in a larger area,
        /// the middle of the image is at this point of the area.
        case focus(x: Double, y: Double)
        /// This point of the source, in pixels, is in the middle, as far as the edges allow.
        case focusPixels(x: Double, y: Double)
        /// The most salient part is in the middle.
        case smart

        /// The middle.
        public static let center = Gravity.anchor(x: 0.5, y: 0.5)
    }

    /// The removal of a border of one colour.
    public struct Trim: Sendable, Hashable {
        /// The largest distance from the colour, of each of the three components, from 0 to 255. Default: 10.
        public var tolerance = 10.0
        /// The colour; `nil`: that of ``corner``. Default: `nil`.
        public var color: PlanColor?
        /// A Boolean value that indicates whether the colour is that of the bottom right pixel instead of the top
        /// left one. Default: `false`.
        public var startsAtBottomRight = false
        /// A Boolean value that indicates whether left and right lose the same number of pixels. Default: `false`.
        public var isEqualHorizontally = false
        /// A Boolean value that indicates whether top and bottom lose the same number of pixels. Default: `false`.
        public var isEqualVertically = false

        /// The defaults.
        public init() {}
    }

    /// A part of the image.
    public enum Crop: Sendable, Hashable {
        /// A rectangle in pixels; an error for an image that has none of them.
        case pixels(x: Int, y: Int, width: Int, height: Int)
        /// A rectangle in pixels; the whole of an image that has none of them.
        case pixelsIfAny(x: Int, y: Int, width: Int, height: Int)
        /// A rectangle in parts of the sides.
        case parts(x: Double, y: Double, width: Double, height: Double)
        /// A size whose place the gravity says. A side below 1 is a part of that of the image; 0 is the whole side.
        case size(width: Double, height: Double, Gravity)
    }

    /// The size of the result.
    public struct Size: Sendable, Hashable {
        /// A side.
        public enum Side: Sendable, Hashable {
            /// By the ratio of the image.
            case free
            /// In pixels.
            case pixels(Int)
            /// As in the image.
            case original
        }

        /// The rule for sides of another ratio than those of the image.
        public enum Mode: Sendable, Hashable {
            /// The whole image, within the size.
            case fit
            /// The whole size; what extends beyond it is cut off.
            case fill
            /// As ``fill``; an image that is smaller is cut to the ratio of the size.
            case fillDown
            /// Exactly the size; the ratio of the sides is not kept. Without enlarging, a side that would grow stays.
            case stretch
            /// As ``stretch``; without enlarging, both sides become smaller by the factor that one would grow by.
            case force
            /// ``fill`` where image and size are both upright or both lying, else ``fit``.
            case auto
            /// The whole image, around the size: its smaller side fits.
            case around
        }

        /// The width. Default: ``Side/free``.
        public var width = Side.free
        /// The height. Default: ``Side/free``.
        public var height = Side.free
        /// The least width; 0: any. Default: 0.
        public var leastWidth = 0
        /// The least height; 0: any. Default: 0.
        public var leastHeight = 0
        /// The rule for another ratio. Default: ``Mode/fit``.
        public var mode = Mode.fit
        /// A Boolean value that indicates whether smaller images are enlarged. Default: `false`.
        public var enlarges = false
        /// A Boolean value that indicates whether width and height change places where the image then becomes larger.
        /// Default: `false`.
        public var isAdaptive = false
        /// The part that stays. Default: ``Gravity/center``.
        public var gravity = Gravity.center
        /// The factors of width and height. Default: 1.
        public var zoomX = 1.0, zoomY = 1.0
        /// The physical pixels of a pixel of the URL, up to 8; the size and lengths in pixels are multiplied by it. Without
        /// enlarging, it is limited to what the image has pixels for. Default: 1.
        public var density = 1.0
        /// The place of the image in an area of the whole size, where the result is smaller; `nil`: the result stays
        /// smaller. Default: `nil`.
        public var extends: Gravity?
        /// The colour of the area beside the image; `nil`: that of ``ImagePlan/background``. Default: `nil`.
        public var fill: PlanColor?
        /// The same for an area that has the ratio of the size alone. Default: `nil`.
        public var extendsRatio: Gravity?

        /// The defaults.
        public init() {}

        /// A Boolean value that indicates whether the size is that of the image.
        public var isIdentity: Bool {
            width == .free && height == .free && leastWidth == 0 && leastHeight == 0 && zoomX == 1 && zoomY == 1
                && (density == 1 || density > 1 && !enlarges)
        }
    }

    /// A filter.
    public enum Effect: Sendable, Hashable {
        /// A Gaussian of this standard deviation, in pixels.
        case blur(Double)
        /// An unsharp mask of this standard deviation and amount.
        case sharpen(radius: Double, amount: Double)
        /// Squares of this size, each of one colour.
        case pixelate(Int)
        /// What is added to each component, from -1 to 1.
        case brightness(Double)
        /// The factor of distances from the middle.
        case contrast(Double)
        /// The factor of distances from gray.
        case saturation(Double)
        /// Stops of light.
        case exposure(Double)
        /// Degrees by which hues are turned.
        case hue(Double)
        /// Gray: the components as they are encoded, by the weights of BT.709.
        case grayscale
        /// Sepia.
        case sepia
        /// The negative.
        case invert
        /// What is added to red, green and blue, from -1 to 1.
        case channels(red: Double, green: Double, blue: Double)
        /// A colour over every pixel.
        case tint(PlanColor)
        /// A colour in the shape of the image; the fraction is the part of the image that stays.
        case overlay(PlanColor, fraction: Double)
        /// The factor of the opacity.
        case opacity(Double)
        /// A rotation clockwise by any number of degrees.
        case rotate(Double)
        /// Round corners of this radius, in pixels, with what shows behind them.
        case roundCorners(Double, PlanColor?)
        /// A disc.
        case circle
        /// A line of this width, in pixels, along the edge.
        case border(Double, PlanColor)
    }

    /// The space at the four sides, in pixels.
    public struct Padding: Sendable, Hashable {
        /// The pixels above, to the right, below and to the left. Default: 0.
        public var top = 0, right = 0, bottom = 0, left = 0

        /// No space.
        public init() {}

        /// A Boolean value that indicates whether there is none.
        public var isEmpty: Bool { top == 0 && right == 0 && bottom == 0 && left == 0 }
    }

    /// The place of the server's watermark.
    public struct Watermark: Sendable, Hashable {
        /// The factor of its opacity, from 0 to 1.
        public var opacity: Double
        /// The place; offsets below 1 are parts of the sides of the image. Default: the middle.
        public var gravity = Gravity.center
        /// A Boolean value that indicates whether it covers the whole image in copies, with the offsets of the
        /// gravity between them. Default: `false`.
        public var isTiled = false
        /// Its size as a part of the image; 0: its own. Default: 0.
        public var scale = 0.0

        /// A watermark in the middle.
        public init(opacity: Double) {
            self.opacity = opacity
        }
    }

    /// The form of the answer.
    public struct Output: Sendable, Hashable {
        /// The format of the answer.
        public enum Format: Sendable, Hashable {
            /// The best that the client accepts.
            case negotiated
            /// That of the source, or PNG.
            case original
            /// The format of this file extension.
            case named(String)
            /// A BlurHash as text.
            case blurHash
            /// A ThumbHash as text, in Base64.
            case thumbHash
            /// A description of the source as JSON.
            case info
            /// The bytes of the source.
            case raw
        }

        /// The format. Default: ``Format/negotiated``.
        public var format = Format.negotiated
        /// The quality, from 1 to 100; `nil`: the server's. Default: `nil`.
        public var quality: Int?
        /// Qualities by the file extension of the format. Default: none.
        public var qualities: [String: Int] = [:]
        /// A Boolean value that indicates whether nothing is lost, where the format can do that. Default: `false`.
        public var isLossless = false
        /// A Boolean value that indicates whether a JPEG is progressive. Default: `false`.
        public var isProgressive = false
        /// The work done for a smaller file, from 1 to 9; `nil`: the format's default. Default: `nil`.
        public var effort: Int?
        /// The most bytes, for which quality is lowered; `nil`: any number. Default: `nil`.
        public var maximumByteCount: Int?
        /// The index of the frame or page; `nil`: the first, or all of an animation. Default: `nil`.
        public var frame: Int?
        /// A Boolean value that indicates whether an animation becomes its first frame. Default: `false`.
        public var isStill = false
        /// A Boolean value that indicates whether a smaller image within the file may be taken. Default: `false`.
        public var usesEmbeddedThumbnail = false
        /// The formats, by their file extension, of which the source is returned as it is where the answer has its
        /// format. Default: none.
        public var unprocessedFormats: Set<String> = []
        /// The largest width that hints of the client may ask for; `nil`: hints are ignored. Default: `nil`.
        public var largestHintedWidth: Int?

        /// The defaults.
        public init() {}
    }

    /// What the answer says of itself.
    public struct Delivery: Sendable, Hashable {
        /// The time from which the URL is refused, in seconds since 1970; `nil`: never. Default: `nil`.
        public var expires: Int?
        /// The name of the file; `nil`: ``stem`` with the extension of the format. Default: `nil`.
        public var filename: String?
        /// The name of the file without its extension; `nil`: that of the source. Default: `nil`.
        public var stem: String?
        /// A Boolean value that indicates whether browsers save the image instead of showing it. Default: `false`.
        public var isAttachment = false
        /// The lifetime in seconds instead of the source's; `nil`: the source's. Default: `nil`.
        public var maximumAge: Int?

        /// The defaults.
        public init() {}
    }
}

/// A colour of 8 bits a component.
public struct PlanColor: Sendable, Hashable {
    /// The components, not multiplied by alpha.
    public var red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8

    /// A colour. Default: opaque.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Transparent black.
    public static let clear = PlanColor(red: 0, green: 0, blue: 0, alpha: 0)

    /// Creates a colour from 3, 4, 6 or 8 hexadecimal digits, as CSS has them; `nil` for other text.
    public init?(hex text: some StringProtocol) {
        var digits = text.utf8.map { byte -> UInt8? in
            switch byte {
            case 0x30...0x39: byte - 0x30
            case 0x41...0x46: byte - 0x41 + 10
            case 0x61...0x66: byte - 0x61 + 10
            default: nil
            }
        }
        if digits.count == 3 || digits.count == 4 { digits = digits.flatMap { [$0, $0] } }
        let values = digits.compactMap(\.self)
        guard values.count == digits.count, values.count == 6 || values.count == 8 else { return nil }
        let bytes = stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
        self.init(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes.count == 4 ? bytes[3] : 255)
    }

    /// The eight hexadecimal digits.
    public var hex: String {
        [red, green, blue, alpha].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
