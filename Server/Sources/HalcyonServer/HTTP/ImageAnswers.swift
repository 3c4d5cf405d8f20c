internal import FoundationEssentials
internal import HTTPTypes
internal import Halcyon
internal import Hummingbird
internal import NIOCore
internal import ServerURLs
internal import Synchronization

extension ImageServer {
    /// Returns the answer to a URL of an image.
    func image(_ path: String, _ request: Request) async -> Answer {
        let plan: ImagePlan
        let route: String
        do {
            (plan, route) = try self.plan(of: path)
        } catch {
            return failure("refused", error.status, error.description)
        }
        let hinted = ClientHints(request).applied(
            to: plan,
            widths: settings.widths,
            largestSide: settings.limits.outputSide
        )
        let source: Source
        do {
            source = try settings.sources.source(plan.source)
        } catch {
            return failure(route, error.status, error.message)
        }
        var answer = await self.answer(hinted, of: source, route, request)
        answer.source = Self.withoutQuery(plan.source)
        if plan.isNegotiated || plan.output.largestHintedWidth != nil {
            // Also on errors and where the choice makes no difference: a cache in front may have been asked by
            // another client.
            let names =
                (plan.isNegotiated ? ["Accept"] : [])
                + (plan.output.largestHintedWidth == nil ? [] : ClientHints.headers)
            answer.response.headers[.vary] = names.joined(separator: ", ")
            if plan.output.largestHintedWidth != nil, let name = HTTPField.Name("Accept-CH") {
                answer.response.headers[name] = ClientHints.headers.joined(separator: ", ")
            }
        }
        return answer
    }

    private static func withoutQuery(_ source: String) -> String { String(source.prefix { $0 != "?" && $0 != "#" }) }

    /// Reads a path by the dialect that its beginning names.
    private func plan(of path: String) throws(URLRefusal) -> (ImagePlan, String) {
        var (dialect, rest) = (settings.rootDialect, path[...])
        for other in ServerSettings.Dialect.allCases where other != settings.rootDialect {
            let prefix = "/" + other.rawValue + "/"
            guard path.hasPrefix(prefix) else { continue }
            (dialect, rest) = (other, path[path.index(path.startIndex, offsetBy: prefix.count - 1)...])
        }
        switch dialect {
        case .halcyon:
            let isInfo = rest.hasPrefix("/info/")
            if isInfo { rest = rest.dropFirst("/info".count) }
            var plan = try HalcyonURL(path: rest).plan(by: settings.urls)
            if isInfo { plan.output.format = .info }
            return (plan, isInfo ? "info" : "image")
        case .imgproxy:
            guard let rules = settings.imgproxy else { throw .malformed("imgproxy's URLs are not answered") }
            return (try ImgproxyURL(path: rest).plan(by: rules), "imgproxy")
        case .thumbor:
            guard let rules = settings.thumbor else { throw .malformed("thumbor's URLs are not answered") }
            return (try ThumborURL(path: rest).plan(by: rules), "thumbor")
        }
    }

    /// A result to send.
    private struct Made: Sendable {
        var bytes: Data
        var type: String
        var fileExtension: String
        var entityTag: String
        var freshness: OriginFreshness?
        var isPartial = false
        var cache: String
    }

    private func answer(_ plan: ImagePlan, of source: Source, _ route: String, _ request: Request) async -> Answer {
        let isPrefetch = [HTTPField.Name("Sec-Purpose"), HTTPField.Name("Purpose")].compactMap(\.self)
            .contains { request.headers[$0]?.contains("prefetch") == true }
        let options: [ImageOption] =
            plan.loadOptions + [
                .processor(plan.processors(watermark: watermark, largestSide: settings.limits.outputSide)),
                .decodeLimits(settings.decodeLimits),
                .priority(isPrefetch ? .low : .normal),
            ]
        let load = ImageRequest(source, options: options)
        let accept = request.headers[.accept]
        let rule = formats.rule(plan, accept: accept)
        // What memory has needs no place in the queue.
        if plan.output.unprocessedFormats.isEmpty, plan.output.format != .raw,
            let image = pipeline.encodedFromMemory(for: load, as: rule), !image.isPartial,
            !isLostAnimation(image, plan),
            let made = try? self.made(image, plan)
        {
            return self.answer(made, plan, route, request.head)
        }
        let turn = Turn()
        do {
            let image = try await withDeadline(.seconds(settings.limits.seconds)) {
                try await queue.run(QueuedImage(plan: plan, rule: rule), isPrefetch ? .prefetch : .interactive) {
                    turn.hasCome.store(true, ordering: .relaxed)
                    do {
                        return try await made(plan, load, as: rule, accept: accept)
                    } catch {
                        throw await withErrorImage(error, plan, accept: accept)
                    }
                }
            }
            return self.answer(image, plan, route, request.head)
        } catch is DeadlineExceeded where !turn.hasCome.load(ordering: .relaxed) {
            // Nothing is wrong with the image.
            return self.answer(to: QueuedTooLong(), route)
        } catch {
            return self.answer(to: error, route)
        }
    }

    private func made(_ plan: ImagePlan, _ load: ImageRequest, as rule: EncodedImageFormat, accept: String?)
        async throws -> Made
    {
        let original = try await unprocessed(plan, load)
        // Which format a client gets is known when there is an image.
        if let original, plan.output.format != .negotiated { return try made(original, plan) }
        var image: EncodedImage
        do {
            image = try await encoded(plan, load, as: rule, accept: accept)
            if image.isPartial, image.source != .network {
                // The whole may be there by now, whatever lifetime its beginning came with.
                var load = load
                load.options.cache.revalidates = true
                image = (try? await encoded(plan, load, as: rule, accept: accept)) ?? image
            }
        } catch let error as ImageError where error.isOfTooManyBytes {
            let smallest = plan.withLowestQuality
            image = try await encoded(
                smallest,
                load,
                as: formats.rule(smallest, accept: accept),
                accept: accept
            )
        }
        if let original, original.format == image.format { return try made(original, plan) }
        return try made(image, plan)
    }

    /// Returns the image of a rule, or of that for animations where the first one loses the animation.
    private func encoded(_ plan: ImagePlan, _ load: ImageRequest, as rule: EncodedImageFormat, accept: String?)
        async throws -> EncodedImage
    {
        let animated = formats.rule(plan, accept: accept, isAnimated: true)
        let image: EncodedImage
        do {
            image = try await pipeline.encoded(for: load, as: rule)
        } catch let error as ImageError where error.isNotAcceptable && plan.isNegotiated {
            // The client may take GIF alone, or the server make nothing else.
            return try await pipeline.encoded(for: load, as: animated)
        }
        guard isLostAnimation(image, plan) else { return image }
        do {
            return try await pipeline.encoded(for: load, as: animated)
        } catch let error as ImageError where error.stage == .encode {
            // The client accepts no format with animation, or none holds this one: its first frame.
            return image
        }
    }

    /// Returns whether a client that names no format with animation was given one frame of an animation.
    private func isLostAnimation(_ image: EncodedImage, _ plan: ImagePlan) -> Bool {
        plan.isNegotiated && image.originalInfo.isAnimated && image.format == .jpeg && !plan.output.isStill
            && plan.output.frame == nil
    }

    /// Returns the source as it is, where the plan may ask for that; else `nil`.
    private func unprocessed(_ plan: ImagePlan, _ load: ImageRequest) async throws -> EncodedImage? {
        let (format, wanted) = (plan.output.format, plan.output.unprocessedFormats)
        switch format {
        case .raw: break
        case .named(let name): guard wanted.contains(name) else { return nil }
        case .negotiated, .original: guard !wanted.isEmpty else { return nil }
        case .blurHash, .thumbHash, .info: return nil
        }
        // Without processors, the original itself, with the rules of its server.
        var rule = EncodedImageFormat.original()
        rule.keepsOriginal = true
        let options: [ImageOption] = [
            .cacheOriginalImage, .decodeLimits(settings.decodeLimits), .priority(load.options.priority),
        ]
        let image = try await pipeline.encoded(for: ImageRequest(load.source, options: options), as: rule)
        let isWanted =
            switch format {
            case .raw: true
            case .named(let name): image.format.rawValue == name
            default: wanted.contains(image.format.rawValue)
            }
        return isWanted ? image : nil
    }

    private func made(_ image: EncodedImage, _ plan: ImagePlan) throws -> Made {
        guard image.data.count <= settings.limits.outputBytes else { throw OutputTooLarge() }
        var made = Made(
            bytes: image.data,
            type: image.mediaType,
            fileExtension: image.format.rawValue,
            entityTag: image.entityTag,
            freshness: image.freshness(),
            isPartial: image.isPartial,
            cache: image.source.rawValue
        )
        switch plan.output.format {
        case .blurHash: (made.type, made.fileExtension) = ("text/plain; charset=utf-8", "txt")
        case .thumbHash:
            made.bytes = Data(image.data.base64EncodedString().utf8)
            (made.type, made.fileExtension) = ("text/plain; charset=utf-8", "txt")
        case .info:
            made.bytes = try ImageDescription(image).json
            (made.type, made.fileExtension) = ("application/json", "json")
        default: break
        }
        if plan.output.format == .thumbHash || plan.output.format == .info {
            made.entityTag = EntityTag.text(of: made.bytes)
        }
        return made
    }

    private func answer(_ made: Made, _ plan: ImagePlan, _ route: String, _ request: HTTPRequest) -> Answer {
        var headers: HTTPFields = [
            .eTag: made.entityTag,
            .cacheControl: fields.value(
                made.freshness,
                plan.delivery,
                isPartial: made.isPartial,
                now: settings.urls.now()
            ),
            .acceptRanges: "bytes",
            // The type was decided from the bytes, and nothing else may be made of them.
            .xContentTypeOptions: "nosniff",
            // A drawing that is opened by itself must not run scripts.
            .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        ]
        if let origin = settings.allowedOrigin { headers[.accessControlAllowOrigin] = origin }
        if let name = HTTPField.Name("Cross-Origin-Resource-Policy") { headers[name] = "cross-origin" }
        var response: Response
        // A range of no body is none.
        let range: RequestedRange =
            request.method == .head
            ? .whole : RequestedRange(request.headerFields, entityTag: made.entityTag, length: made.bytes.count)
        if request.headerFields.excludes(made.entityTag) {
            // No cache has the condition in its keys.
            response = Response(status: .preconditionFailed, headers: [.cacheControl: "no-store"])
        } else if request.headerFields.hasMatch(for: made.entityTag) {
            response = Response(status: .notModified, headers: headers)
            // None of a body that is not sent.
            response.headers[.contentLength] = nil
        } else {
            headers[.contentType] = made.type
            headers[.contentDisposition] = ContentDisposition(plan, fileExtension: made.fileExtension).text
            switch range {
            case .whole: response = Response(status: .ok, headers: headers, body: Self.body(made.bytes[...]))
            case .part(let part):
                headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(made.bytes.count)"
                let start = made.bytes.startIndex
                let bytes = made.bytes[(start + part.lowerBound)..<(start + part.upperBound)]
                response = Response(status: .partialContent, headers: headers, body: Self.body(bytes))
            case .unsatisfiable:
                headers = [.contentRange: "bytes */\(made.bytes.count)", .cacheControl: "no-store"]
                response = Response(status: .rangeNotSatisfiable, headers: headers)
            }
        }
        var answer = Answer(route, response)
        answer.cache = made.cache
        return answer
    }

    /// Returns a body that is written in parts, each when the connection has room for it: the time of a client that
    /// reads too slowly is that of a part.
    static func body(_ bytes: Data) -> ResponseBody {
        let (whole, partLength) = (ByteBuffer(bytes: bytes), 64 << 10)
        guard whole.readableBytes > partLength else { return ResponseBody(byteBuffer: whole) }
        return ResponseBody(contentLength: whole.readableBytes) { writer in
            var rest = whole
            while let part = rest.readSlice(length: min(partLength, rest.readableBytes)), part.readableBytes > 0 {
                try await writer.write(part)
            }
            try await writer.finish(nil)
        }
    }

    /// An error with the image to send in its place.
    private struct ErrorWithImage: Error {
        var error: any Error
        var image: Made
    }

    /// Returns an error with the error image, if there is one, made as the plan says; else the error alone.
    private func withErrorImage(_ error: any Error, _ plan: ImagePlan, accept: String?) async -> any Error {
        // Not in the place of a text, where nobody waits for it, or where there is no room.
        guard let errorImage, plan.isOfImage, !Task.isCancelled,
            ![429, 499, 503, 504].contains(Self.status(of: error).status)
        else {
            return error
        }
        let options: [ImageOption] = [
            .processor(plan.processors(watermark: nil, largestSide: settings.limits.outputSide))
        ]
        let load = ImageRequest(.data(errorImage, cacheKey: "error-image"), options: options)
        guard let image = try? await pipeline.encoded(for: load, as: formats.rule(plan, accept: accept)),
            let made = try? self.made(image, plan)
        else { return error }
        return ErrorWithImage(error: error, image: made)
    }

    /// Returns the answer to an error: its image if it has one, else text.
    private func answer(to error: any Error, _ route: String) -> Answer {
        let cause = (error as? ErrorWithImage)?.error ?? error
        let (status, message) = Self.status(of: cause)
        var text = failure(route, status, message)
        if let retryAfter = (cause as? ImageError)?.retryAfter, status == 503 {
            text.response.headers[.retryAfter] = "\(max(1, retryAfter.components.seconds))"
        }
        guard let image = (error as? ErrorWithImage)?.image else { return text }
        // Without the client's conditions, which are about the image.
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil)
        var answer = self.answer(image, ImagePlan(source: ""), route, request)
        answer.response.status = HTTPResponse.Status(code: status)
        answer.response.headers[.cacheControl] = CachingFields.value(forStatus: status)
        answer.response.headers[.eTag] = nil
        answer.response.headers[.acceptRanges] = nil
        answer.error = message
        return answer
    }

    /// Returns the status for an error, and a sentence that shows nothing of the source but its kind of failure.
    static func status(of error: any Error) -> (status: Int, message: String) {
        switch error {
        case is QueueFull: (429, "The server is busy.")
        case is QueuedTooLong: (503, "The server is busy.")
        case is DeadlineExceeded: (504, "The image took too long.")
        case is CancellationError: (499, "The client left.")
        case is OutputTooLarge: (422, "The image is larger than this server sends.")
        case let error as ImageError: (status(of: error), message(of: error))
        default: (500, "The image cannot be made.")
        }
    }

    private static func message(of error: ImageError) -> String {
        // What processors say is of the URL, and of the size of the image.
        switch error.reason {
        case .processing(let reason): return "The image cannot be made: \(reason)."
        case .codec(.unregistered(.svg)):
            return "Drawings (SVG) are not read: their library can be neither bounded nor cancelled."
        default: return "The image cannot be had: \(error.stage.rawValue), \(error.code)."
        }
    }

    private static func status(of error: ImageError) -> Int {
        switch error.reason {
        // Of the client's URL, and no failure of a server behind this one.
        case .status(404), .status(410), .status(451), .file: 404
        case .status(401), .status(403): 403
        case .status(429): 503
        case .sourceNotAllowed, .redirectRejected: 403
        case .invalidURL: 400
        case .notAcceptable: 406
        case .transfer(.timedOut): 504
        case .failedBefore(let reason):
            status(of: ImageError(stage: error.stage, reason: reason, source: ""))
        case .serverUnavailable, .downloaderShutDown: 503
        case .codec(.isolation(let error)): error.isOfImage ? 422 : 503
        case .processing, .codec: 422
        default: error.stage == .load ? 502 : 500
        }
    }
}

extension ImageError {
    /// `true` if no quality gives as few bytes as the URL allows.
    fileprivate var isOfTooManyBytes: Bool {
        if case .codec(.tooManyBytes) = reason { true } else { false }
    }

    /// `true` if the client accepts no format on offer.
    fileprivate var isNotAcceptable: Bool {
        if case .notAcceptable = reason { true } else { false }
    }
}

/// What equal requests have in common.
struct QueuedImage: Hashable {
    let plan: ImagePlan
    let rule: EncodedImageFormat
}

/// The answer is larger than the limit.
struct OutputTooLarge: Error {}

/// The time of a request was over before its turn came.
struct QueuedTooLong: Error {}

/// Whether a request has left the queue.
private final class Turn: Sendable {
    let hasCome = Atomic(false)
}
