public import Halcyon

extension ImageListFactory {
    /// The cells of a list, and how their images are loaded.
    @MainActor
    public struct Configuration {
        /// Makes a cell. Default: ``ImageListCell/picture(width:height:)``.
        public var makeCell: @MainActor () -> ImageListCell = { .picture() }
        /// Returns the title of an item: the text of a cell's label, and the name of the cell to assistive technologies.
        /// Called when a cell is to show an item. Default: no titles.
        public var title: (@MainActor (ImageListItem) -> String?)?
        /// Shown over the place of an image whose load has failed, in cells with an overlay. The button for another
        /// attempt loads the image of that cell once more. Default: ``RemoteImage/FailureChild/none``.
        public var failure = RemoteImage.FailureChild.none
        /// Returns the mark in the corner of an image, in cells with an overlay; called when an image is shown. Default: no
        /// badges. ``ImageListBadge/ofAnimation(_:)`` marks animated images.
        public var badge: (@MainActor (ImageResponse) -> ImageListBadge?)?
        /// Fills the rest of a cell in, such as a label, when it is to show an item, before its image
        /// is loaded. Default: nothing.
        public var configure: (@MainActor (ImageListCell, ImageListItem) -> Void)?
        /// Undoes that when the cell no longer shows its item. Default: nothing.
        public var reset: (@MainActor (ImageListCell) -> Void)?
        /// Called when the image of an item is shown, or its load has failed, while the cell still shows that item.
        /// Default: nothing.
        public var completion: (@MainActor (ImageListCell, Result<ImageResponse, any Error>) -> Void)?
        /// Shown in cells without an image. Default: nothing.
        public var placeholder: (any Placeholder)?
        /// Loads the images. Default: ``ImagePipeline/shared``.
        public var pipeline = ImagePipeline.shared
        /// The number of items that are loaded into memory, in the direction of the scrolling, before they come into
        /// sight. Default: one page.
        public var prefetchDistance = PrefetchDistance.pages(1)
        /// The number of items that are prefetched at the same time; at least 1. Default: 5.
        public var maxConcurrentPrefetches = 5

        /// The defaults.
        public init() {}
    }
}
