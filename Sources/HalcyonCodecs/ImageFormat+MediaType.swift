extension ImageFormat {
    /// The media type, such as "image/jpeg": the one registered with IANA, or else the one in common use; `nil` for a
    /// format without one.
    public var mediaType: String? { Self.mediaTypes[self] }

    private static let mediaTypes: [ImageFormat: String] = [
        .jpeg: "image/jpeg",
        .png: "image/png",
        .gif: "image/gif",
        .webp: "image/webp",
        .avif: "image/avif",
        .heic: "image/heic",
        .heif: "image/heif",
        .jxl: "image/jxl",
        .tiff: "image/tiff",
        .bmp: "image/bmp",
        .ico: "image/vnd.microsoft.icon",
        .svg: "image/svg+xml",
        .pam: "image/x-portable-arbitrarymap",
        .qoi: "image/qoi",
        .mp4: "video/mp4",
        .mov: "video/quicktime",
        .webm: "video/webm",
        .mkv: "video/matroska",
        .avi: "video/x-msvideo",
        .ts: "video/mp2t",
        .ogv: "video/ogg",
    ]
}
