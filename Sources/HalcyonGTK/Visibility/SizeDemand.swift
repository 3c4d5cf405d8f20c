internal import Halcyon

/// The number of pixels that a place has for an image; 0 for a direction in which the image decides.
struct SizeDemand: Equatable {
    var width: Int
    var height: Int
    /// The rule for an image whose ratio is not that of the place.
    var mode = TargetSize.Mode.fit
    /// The number of pixels of a point.
    var scale = 1.0

    /// Returns the part of its pixels in each direction that an image needs, from 0 to 1.
    func factor(of image: PixelSize) -> Double {
        guard image.width > 0, image.height > 0 else { return 1 }
        let factors = [
            width > 0 ? Double(width) / Double(image.width) : nil,
            height > 0 ? Double(height) / Double(image.height) : nil,
        ].compactMap(\.self)
        return min(1, (mode == .fit ? factors.min() : factors.max()) ?? 1)
    }

    /// Returns a demand that is a good deal larger, but as large as another at least: a widget that grows step by step
    /// is not followed at each.
    func grown(to other: SizeDemand) -> SizeDemand {
        SizeDemand(
            width: other.width == 0 ? 0 : max(other.width, width * 5 / 4),
            height: other.height == 0 ? 0 : max(other.height, height * 5 / 4),
            mode: other.mode,
            scale: other.scale
        )
    }

    var targetSize: TargetSize {
        .pixels(width: width > 0 ? width : nil, height: height > 0 ? height : nil, mode: mode)
    }
}

/// The loading of the image that is shown at another size.
struct Enlargement {
    let size: SizeDemand
    let number: Int
    /// A Boolean value that indicates whether the widget has grown; if not, the image has too many pixels.
    let isLarger: Bool
    /// The network since the first of the attempts whose work this one has joined; `nil` if nothing is sent.
    let network: NetworkWatch?
    var task: ImageTask?
}

/// A larger size at which the image could not be loaded. It is not tried again at each layout, but when the network is
/// back.
struct FailedEnlargement {
    let size: SizeDemand
    let network: NetworkReturn
}

/// The wait for a widget that has grown to keep its size.
struct Growth {
    /// The time for which it does.
    static let rest = Duration.milliseconds(100)

    let size: SizeDemand
    let wait: Task<Void, Never>
}
