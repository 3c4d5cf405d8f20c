public import HalcyonRaster
internal import HalcyonSystem

/// A file and the size of its thumbnail.
struct FileThumbnail: Sendable, Hashable {
    let path: ExactString
    let size: ThumbnailSize
}

extension Source {
    /// A thumbnail of the image in a file: that which another program of the user has made and still stands for the
    /// present state of the file, or else the image in the file, decoded no larger than needed.
    ///
    /// File managers keep such thumbnails (Thumbnail Managing Standard 0.9.0), also of files that are no images, such as
    /// videos: those have a thumbnail here only where a file manager has made one. A larger thumbnail serves where there
    /// is none of this size. None is written. The result fits into ``ThumbnailSize/pixelSize``, before the processors of
    /// the options run on it; its ``DecodedImage/info`` describes whichever file was read.
    ///
    /// ```swift
    /// let image = try await pipeline.image(from: ImageRequest(.thumbnail(ofFile: path, size: .large)))
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - size: The size of the thumbnail. Default: ``ThumbnailSize/normal``.
    public static func thumbnail(ofFile path: String, size: ThumbnailSize = .normal) -> Source {
        Source(.thumbnail(FileThumbnail(path: ExactString(path), size: size)), cacheKey: nil)
    }

    /// Returns the options that a load of this source has: those of a thumbnail reduce the image before anything else,
    /// those of a frame name it.
    func loadOptions(from options: ImageOptions) -> ImageOptions {
        if let videoFrame { return videoFrame.options(from: options) }
        guard let thumbnailSize else { return options }
        var options = options
        options.processing = .downsample(to: .pixels(thumbnailSize.pixelSize)) |> options.loadProcessing
        options.targetSize = nil
        return options
    }

    /// The size of the thumbnail that the source is, also where a loader loads it; `nil` for other sources.
    var thumbnailSize: ThumbnailSize? {
        if case .thumbnail(let thumbnail) = location { thumbnail.size } else { loaded?.thumbnail }
    }

    /// The path of the file whose state is part of the name; `nil` if it is no file.
    var filePath: String? {
        switch location {
        case .file(let path), .videoFile(let path): path.text
        case .thumbnail(let thumbnail): thumbnail.path.text
        case .network, .data, .provider, .inline, .invalid: nil
        }
    }

    /// A Boolean value that indicates whether the source is a file that has no key of its own, and so no name before it
    /// was examined.
    package var isExaminedFirst: Bool { cacheKey == nil && filePath != nil }

    /// Returns the name of the original in a file in this state.
    func originalName(in file: FileReader.Identity) -> String {
        switch location {
        case .thumbnail(let thumbnail): "thumbnail:\(thumbnail.size.rawValue):\(file.key(of: thumbnail.path.text))"
        case .file(let path): file.key(of: path.text)
        case .videoFile(let path): "video:\(file.key(of: path.text))"
        case .network, .data, .provider, .inline, .invalid: originalName ?? ""
        }
    }
}

/// A size of the thumbnails that the programs of a user share (Thumbnail Managing Standard 0.9.0, section 4.1).
public enum ThumbnailSize: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// At most 128 pixels a side.
    case normal = 128
    /// At most 256 pixels a side.
    case large = 256
    /// At most 512 pixels a side.
    case xLarge = 512
    /// At most 1,024 pixels a side.
    case xxLarge = 1_024

    /// The greatest width and height, in pixels.
    public var pixelSize: PixelSize { PixelSize(rawValue, rawValue) }

    /// The name of the folder with thumbnails of this size.
    var folderName: String {
        switch self {
        case .normal: "normal"
        case .large: "large"
        case .xLarge: "x-large"
        case .xxLarge: "xx-large"
        }
    }

    /// Orders sizes from small to large.
    public static func < (left: ThumbnailSize, right: ThumbnailSize) -> Bool { left.rawValue < right.rawValue }
}
