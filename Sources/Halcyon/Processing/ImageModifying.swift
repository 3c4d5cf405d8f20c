public import HalcyonCodecs

/// A type that changes an image at the moment at which a pipeline delivers it: sets another scale, or returns other
/// pixels.
///
/// It runs for each response on its own, also for images from memory and from disk. Its result is stored in no cache,
/// and is no part of any key: requests that differ in it alone share all work, and each gets its own result. What takes
/// long, or is to be kept, is the task of an ``ImageProcessing``. ``ImageCache`` and prefetching do not run it.
public protocol ImageModifying: Hashable, Sendable {
    /// Returns the image that the caller gets.
    ///
    /// An image in memory is modified on the thread of the caller, which waits for it. No lock is held.
    func modified(_ image: DecodedImage) -> DecodedImage
}

/// A closure that modifies images. It is equal to its copies only.
public struct ImageModifier: ImageModifying {
    private let closure: IdentifiedClosure<@Sendable (DecodedImage) -> DecodedImage>

    /// A modifier with a closure; see ``ImageModifying/modified(_:)``.
    public init(_ closure: @escaping @Sendable (DecodedImage) -> DecodedImage) {
        self.closure = IdentifiedClosure(closure)
    }

    /// Returns the result of the closure.
    public func modified(_ image: DecodedImage) -> DecodedImage {
        closure.function(image)
    }
}

extension ImageResponse {
    /// Returns the response in the form that a policy asks for. Runs code of the program: no lock may be held.
    func delivered(_ policy: DeliveryPolicy) -> ImageResponse {
        var response = self
        response.image.scale = policy.scale
        if let modifier = policy.imageModifier { response.image = modifier.modified(response.image) }
        return response
    }
}
