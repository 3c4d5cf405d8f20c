public import FoundationEssentials
internal import HTTPTypes
public import Halcyon
public import Hummingbird

/// `GET /thumbnails/WIDTHxHEIGHT/PATH`: the image at that path of an origin, scaled down, in the best format that the client
/// reads.
///
/// The pixels are made once, however many clients ask, and the encoded bytes are kept in memory and on disk.
public struct ThumbnailRoutes: Sendable {
    private let pipeline: ImagePipeline
    private let origin: URL
    private let sizes: Set<PixelSize>

    /// Routes to the images of an origin.
    ///
    /// - Parameters:
    ///   - pipeline: Loads the images.
    ///   - origin: The URL below which the images lie. Clients choose a path there, and never the server.
    ///   - sizes: The sizes that clients may ask for. Without a list, a client could fill the cache with sizes.
    public init(pipeline: ImagePipeline, origin: URL, sizes: Set<PixelSize>) {
        self.pipeline = pipeline
        self.origin = origin
        self.sizes = sizes
    }

    /// Adds the route to a router.
    public func add(to router: Router<some RequestContext>) {
        router.get("thumbnails/{size}/**") { request, context in
            guard let size = context.parameters.get("size").flatMap(PixelSize.init(name:)), sizes.contains(size) else {
                throw HTTPError(.notFound, message: "sizes: \(sizes.map(\.name).sorted().joined(separator: ", "))")
            }
            let path = context.parameters.getCatchAll().map(String.init)
            guard !path.isEmpty, !path.contains(".."), !path.contains(".") else { throw HTTPError(.badRequest) }
            return try await thumbnail(of: path.joined(separator: "/"), size: size, for: request)
        }
    }

    private func thumbnail(of path: String, size: PixelSize, for request: Request) async throws -> Response {
        let image: EncodedImage
        do {
            image = try await pipeline.encoded(
                for: origin.appending(path: path),
                as: .accepted(by: request.headers[.accept]),
                // Other sizes and formats are made of the original, so that the origin is asked for it once.
                options: [.processor(.downsample(to: .pixels(size))), .cacheOriginalImage]
            )
        } catch let error as ImageError {
            throw HTTPError(error.statusForClients, message: error.code)
        }
        var headers: HTTPFields = [
            .eTag: image.entityTag,
            .vary: "Accept",
            .cacheControl: "public, max-age=86400",
        ]
        if request.headers[.ifNoneMatch]?.contains(image.entityTag) == true {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = image.mediaType
        // The type was decided from the bytes, and nothing else may be made of them.
        headers[.xContentTypeOptions] = "nosniff"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: image.data)))
    }
}

extension PixelSize {
    /// A size such as "400x300".
    public init?(name: String) {
        let sides = name.split(separator: "x", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]), width > 0, height > 0 else {
            return nil
        }
        self.init(width, height)
    }

    /// The size as ``init(name:)`` reads it.
    var name: String { "\(width)x\(height)" }
}
