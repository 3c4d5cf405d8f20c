#if SVG
internal import FoundationEssentials
internal import HalcyonFiles
internal import HalcyonRaster

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
        guard !references.hasEntities else {
            return text
        }
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
        let format = ImageFormat.detect(image)
        if format == .svg {
            let text = try SVGDocument.text(of: image, limits: limits)
            nestedByteCount += text.count
            let maximum = min(SVGDocument.maximumByteCount, limits.memory)
            guard nestedByteCount <= maximum else {
                throw .limitExceeded(.svg, .memory(nestedByteCount, maximum: maximum))
            }
            return try byteCount(of: text, limits: limits, depth: depth + 1, &nestedByteCount)
        }
        // An image that cannot be measured is not drawn either.
        guard let format, let info = try? ImageCodecs.standard.info(of: image, limits: limits) else {
            throw .unsupported(.svg, reason: "an embedded image of unknown size")
        }
        try limits.check(info.size, of: format)
        return (info.size.pixelCount * SaturatingCount(bytesPerPixel)).value
    }
}
#endif
