internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonSystem

/// Checks the images that a document embeds ("data:" in a reference) before librsvg decodes them, which it does without
/// any bound: a PNG of 17 kB can take a gigabyte.
enum SVGEmbeddedImages {
    /// The number of levels that are read of images inside of drawings inside of drawings.
    private static let maximumDepth = 3
    /// gdk-pixbuf's copy, and that of cairo.
    private static let bytesPerPixel = 8

    /// Refuses a document whose images are beyond the limits, or whose references are not stated plainly.
    static func check(_ text: Data, limits: DecodeLimits) throws(CodecError) {
        var nestedByteCount = 0
        _ = try byteCount(of: text, limits: limits, depth: 0, &nestedByteCount)
    }

    /// The text, with the type of each embedded image that its address states wrongly, or in another spelling, such as
    /// `image/jpg`, or not at all: librsvg reads an image as what it is called, browsers look at the bytes.
    ///
    /// What browsers take for a drawing is decided by its type; a drawing that is called something else stays that.
    static func withStatedTypes(_ text: Data) -> Data {
        var references = SVGReferences(text)
        var (result, copied) = (Data(), text.startIndex)
        while let reference = references.next() {
            let start = text.startIndex + references.startOfLastValue
            guard case .plain(let address) = reference, let place = placeOfType(in: text[start...]),
                let payload = payloads(of: address).first, let format = ImageFormat.detect(payload),
                let type = types[format]
            else {
                continue
            }
            let stated = String(decoding: text[place], as: UTF8.self).lowercased()
            guard stated != type, format != .svg || stated.isEmpty || stated.contains("svg") || stated.contains("xml")
            else {
                continue
            }
            result += text[copied..<place.lowerBound] + Array(type.utf8)
            copied = place.upperBound
        }
        return copied == text.startIndex ? text : result + text[copied...]
    }

    /// Puts in place of each drawing that a document embeds one that was looked through as well, and takes away what
    /// cannot be measured, which browsers do not draw either.
    ///
    /// - Parameter look: Takes the text of a drawing, and returns another.
    static func replaceDrawings(
        in markup: inout SVGMarkup,
        limits: DecodeLimits,
        depth: Int,
        isDamageRefused: Bool,
        _ look: (Data) throws(CodecError) -> Data
    ) throws(CodecError) {
        for index in markup.elements.indices {
            for attribute in markup.elements[index].attributes
            where attribute.name == "href" || attribute.name.hasSuffix(":href") {
                let address = SVGValueBounds.withoutReferences(markup.value(of: attribute))
                let images = payloads(of: Array(address.utf8))
                var areKnown = true
                for image in images where ImageFormat.detect(image) != .svg {
                    areKnown = try size(of: image, limits) != nil && areKnown
                }
                guard areKnown else {
                    markup.remove(attribute)
                    continue
                }
                guard let image = images.first(where: { ImageFormat.detect($0) == .svg }) else { continue }
                let type = address.prefix { $0 != "," && $0 != ";" }.lowercased()
                guard depth < maximumDepth, markup.isText(attribute),
                    type.hasSuffix(":") || type.contains("svg") || type.contains("xml")
                else {
                    markup.remove(attribute)
                    continue
                }
                do throws(CodecError) {
                    let text = try look(
                        try SVGDocument.text(of: image, limits: limits, isReadWhereCut: !isDamageRefused)
                    )
                    markup.replace(attribute, by: "data:image/svg+xml;base64," + text.base64EncodedString())
                } catch {
                    guard error.isDamage, !isDamageRefused else { throw error }
                    markup.remove(attribute)
                }
            }
        }
    }

    /// The types by which librsvg knows what it can draw.
    private static let types: [ImageFormat: String] = [
        .jpeg: "image/jpeg", .png: "image/png", .gif: "image/gif", .webp: "image/webp", .svg: "image/svg+xml",
    ]

    /// Returns the bytes that an address holds, by each way to read it that librsvg may take; none where it is no
    /// `data:` URL. Tabs and line ends count nowhere in an address (WHATWG URL, "basic URL parser").
    static func payloads(of address: [UInt8]) -> [Data] {
        let address = address.filter { ![0x09, 0x0A, 0x0D].contains($0) }
        var payloads: [Data] = []
        do {
            payloads.append(try DataURLReader.permissive.body(of: address))
        } catch .invalidBase64 {
            // Not empty, so that the address is refused.
            payloads.append(Data([0]))
        } catch {}
        let trimmed = Array(address.drop { $0 <= 0x20 })
        // Base64 that browsers do not read is not drawn by librsvg either.
        if let standard = try? DataURLReader.standard.body(of: trimmed), standard != payloads.first {
            payloads.append(standard)
        }
        return payloads.filter { !$0.isEmpty }
    }

    /// Returns where the type stands in an address, or would; `nil` where there is no such address, or a part of it is
    /// not plain text.
    private static func placeOfType(in text: Data) -> Range<Data.Index>? {
        guard let start = DataURLReader.permissive.endOfScheme(in: text),
            let end = text[start...].firstIndex(where: { ";,\"'&<>".utf8.contains($0) }),
            text[end] == UInt8(ascii: ";") || text[end] == UInt8(ascii: ",")
        else { return nil }
        return start..<end
    }

    /// - Parameter nestedByteCount: The text of all drawings inside so far, in bytes, which is bounded as that of a
    ///   document: each of many may be a few bytes that inflate to a bound of their own.
    private static func byteCount(
        of text: Data,
        limits: DecodeLimits,
        depth: Int,
        _ nestedByteCount: inout Int
    ) throws(CodecError) -> Int {
        guard depth < maximumDepth else {
            throw .unsupported(.svg, reason: "drawings inside of drawings inside of drawings")
        }
        var sum = 0
        for reference in SVGReferences(text) {
            guard case .plain(let address) = reference else {
                throw .unsupported(.svg, reason: "a reference that contains an entity")
            }
            for image in payloads(of: address) {
                let (next, overflows) = try sum.addingReportingOverflow(
                    byteCount(ofImage: image, limits: limits, depth: depth, &nestedByteCount)
                )
                sum = overflows ? .max : next
                try limits.checkMemory(sum, of: .svg)
            }
        }
        return sum
    }

    private static func byteCount(
        ofImage image: Data,
        limits: DecodeLimits,
        depth: Int,
        _ nestedByteCount: inout Int
    ) throws(CodecError) -> Int {
        if ImageFormat.detect(image) == .svg {
            let text: Data
            do throws(CodecError) {
                text = try SVGDocument.text(of: image, limits: limits, isReadWhereCut: true)
            } catch {
                guard error.isDamage else { throw error }
                return 0
            }
            nestedByteCount += text.count
            let maximum = min(SVGDocument.maximumByteCount, limits.memory)
            guard nestedByteCount <= maximum else {
                throw .limitExceeded(.svg, .memory(nestedByteCount, maximum: maximum))
            }
            let inner = try byteCount(of: text, limits: limits, depth: depth + 1, &nestedByteCount)
            guard let size = (try? SVGRootElement(text)).flatMap({ SVGSize($0) }) else { return inner }
            return try byteCount(of: size.pixels, .svg, limits, inner)
        }
        // One that cannot be measured is taken away.
        guard let known = try size(of: image, limits) else { return 0 }
        return try byteCount(of: known.size, known.format, limits, 0)
    }

    private static func byteCount(
        of size: PixelSize,
        _ format: ImageFormat,
        _ limits: DecodeLimits,
        _ inner: Int
    ) throws(CodecError) -> Int {
        try limits.check(size, of: format)
        return (size.pixelCount * SaturatingCount(bytesPerPixel) + SaturatingCount(inner)).value
    }

    /// Returns the format and the size of an image; `nil` where they cannot be read.
    private static func size(
        of image: Data,
        _ limits: DecodeLimits
    ) throws(CodecError) -> (format: ImageFormat, size: PixelSize)? {
        guard let format = ImageFormat.detect(image) else { return nil }
        do throws(CodecError) {
            return (format, try ImageCodecs.standard.info(of: image, limits: limits).size)
        } catch {
            if case .limitExceeded = error { throw error }
            return nil
        }
    }
}

extension CodecError {
    /// A Boolean value that indicates whether it is about the bytes of an image, and not about a bound.
    fileprivate var isDamage: Bool {
        switch self {
        case .empty, .truncated, .corrupt: true
        default: false
        }
    }
}
