internal import CGTK
public import Halcyon

/// Something that GTK can draw at any size: a counted reference to a `GdkPaintable`, with the size that it is drawn at
/// where nothing else decides.
@MainActor
public struct Paintable {
    let reference: ObjectReference
    /// The width in points (application pixels); 0 if it has none of its own.
    public let width: Double
    /// The height in points (application pixels); 0 if it has none of its own.
    public let height: Double
    /// The way in which a widget draws it. Default: with its own colours and directions.
    public var rendering = ImageRendering()
    /// A Boolean value that indicates whether it is drawn as small as it covers its place, and what lies beyond is cut off.
    var coversPlace = false
    /// A Boolean value that indicates whether it is nothing but the size of an image that is to come.
    var holdsPlace = false

    init(_ reference: ObjectReference, width: Double, height: Double) {
        self.reference = reference
        self.width = width
        self.height = height
    }

    /// A paintable of the program's own, at its own size.
    ///
    /// - Parameter pointer: A `GdkPaintable *`; a reference is added to it.
    public init(_ pointer: UnsafeMutableRawPointer) {
        let reference = ObjectReference(retaining: pointer)
        self.init(
            reference,
            width: Double(gdk_paintable_get_intrinsic_width(reference.opaque)),
            height: Double(gdk_paintable_get_intrinsic_height(reference.opaque))
        )
    }

    /// An image, whose pixels are not copied.
    ///
    /// Its size is that of the whole image in points (``DecodedImage/fullSize`` divided by its scale), also where it was
    /// decoded smaller than that.
    public init(_ image: DecodedImage) {
        self.init(
            Texture.make(image.bitmap),
            width: Double(image.fullSize.width) / image.scale,
            height: Double(image.fullSize.height) / image.scale
        )
    }

    /// The `GdkPaintable *`, which lives as long as this value does.
    public var pointer: UnsafeMutableRawPointer { reference.pointer }

    /// Returns a paintable that draws another one in the place of this one, in the same way.
    func replacing(_ reference: ObjectReference) -> Paintable {
        var copy = Paintable(reference, width: width, height: height)
        copy.rendering = rendering
        copy.coversPlace = coversPlace
        return copy
    }

    /// Draws into a rectangle of `width` by `height` points whose corner is the origin, whatever the rendering.
    func draw(into snapshot: OpaquePointer, width: Double, height: Double) {
        gdk_paintable_snapshot(reference.opaque, snapshot, width, height)
    }
}
