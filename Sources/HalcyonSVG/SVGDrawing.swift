internal import CSVGShim
internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// A document loaded by librsvg. A class, because librsvg's handle needs one owner that releases it.
///
/// A document has no place of its own, so that librsvg opens nothing it refers to: no file and no address; only what
/// it embeds ("data:") is drawn. librsvg bounds entities, nesting and the number of elements itself.
final class SVGDrawing {
    private let library: HalcyonSVGLibrary
    private let handle: OpaquePointer

    /// - Throws: ``CodecError/unsupported(_:reason:)`` where librsvg is not installed,
    ///   ``CodecError/corrupt(_:reason:)``, or ``CodecError/truncated(_:)``.
    ///
    /// - Parameter text: A document that was looked through.
    init(_ text: Data) throws(CodecError) {
        guard let library = halcyon_svg_library()?.pointee else {
            throw .unsupported(.svg, reason: "librsvg is not installed")
        }
        var error: UnsafeMutablePointer<HalcyonSVGError>?
        let handle = text.withUnsafeBytes { bytes in
            library.rsvg_handle_new_from_data(
                bytes.assumingMemoryBound(to: UInt8.self).baseAddress,
                UInt(bytes.count),
                &error
            )
        }
        guard let handle else {
            throw Self.failure(error, library)
        }
        (self.library, self.handle) = (library, handle)
        library.rsvg_handle_set_dpi(handle, 96)
    }

    deinit {
        library.g_object_unref(UnsafeMutableRawPointer(handle))
    }

    /// Returns the area that the shapes of the drawing cover, from the origin on, for a document that does not state
    /// its size. As in other programs, the outer half of a stroke at the border does not count.
    func extent() throws(CodecError) -> SVGSize {
        // The size that percentages refer to.
        var viewport = Self.viewport(SVGSize.unknown)
        var (ink, logical) = (HalcyonSVGRectangle(), HalcyonSVGRectangle())
        var error: UnsafeMutablePointer<HalcyonSVGError>?
        let isKnown = library.rsvg_handle_get_geometry_for_layer(handle, nil, &viewport, &ink, &logical, &error)
        guard isKnown != 0 else {
            throw Self.failure(error, library)
        }
        let (width, height) = (logical.x + logical.width, logical.y + logical.height)
        guard width > 0, height > 0, width.isFinite, height.isFinite else {
            throw .corrupt(.svg, reason: "a drawing without a size and without anything to see")
        }
        return SVGSize(width: width, height: height)
    }

    /// Draws the document as wide and as high as the bitmap.
    func draw(_ size: SVGSize, into bitmap: inout Bitmap) throws(CodecError) {
        let (width, height, bytesPerRow) = (bitmap.width, bitmap.height, bitmap.bytesPerRow)
        try bitmap.withUnsafeMutableBytes { bytes throws(CodecError) in
            guard let pixels = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else {
                return
            }
            try draw(size, into: pixels, PixelSize(width, height), bytesPerRow)
            for y in 0..<height {
                Self.swapRedAndBlue(UnsafeMutableRawPointer(pixels + y * bytesPerRow), count: width)
            }
        }
    }

    private func draw(
        _ size: SVGSize,
        into pixels: UnsafeMutablePointer<UInt8>,
        _ pixelSize: PixelSize,
        _ bytesPerRow: Int
    ) throws(CodecError) {
        let (width, height) = (Int32(pixelSize.width), Int32(pixelSize.height))
        let surface = library.cairo_image_surface_create_for_data(
            pixels,
            Int32(HalcyonCairoFormatARGB32),
            width,
            height,
            Int32(bytesPerRow)
        )
        let context = library.cairo_create(surface)
        defer {
            library.cairo_destroy(context)
            library.cairo_surface_finish(surface)
            library.cairo_surface_destroy(surface)
        }
        guard library.cairo_status(context) == HalcyonCairoStatusSuccess else {
            throw .bitmap(.invalidSize(pixelSize))
        }
        // Scaled here, because librsvg fits only documents with a view box to what it draws into.
        library.cairo_scale(context, Double(pixelSize.width) / size.width, Double(pixelSize.height) / size.height)
        // Stands for the sides of the root element, percentages included.
        var viewport = Self.viewport(size)
        var error: UnsafeMutablePointer<HalcyonSVGError>?
        guard library.rsvg_handle_render_document(handle, context, &viewport, &error) != 0 else {
            throw Self.failure(error, library)
        }
        library.cairo_surface_flush(surface)
    }

    private static func viewport(_ size: SVGSize) -> HalcyonSVGRectangle {
        var viewport = HalcyonSVGRectangle()
        (viewport.width, viewport.height) = (size.width, size.height)
        return viewport
    }

    /// cairo's pixels are 32-bit numbers with alpha uppermost.
    private static func swapRedAndBlue(_ row: UnsafeMutableRawPointer, count: Int) {
        let pixels = row.assumingMemoryBound(to: UInt32.self)
        for x in 0..<count {
            let pixel = UInt32(littleEndian: pixels[x])
            pixels[x] = UInt32(littleEndian: pixel & 0xff00_ff00 | pixel >> 16 & 0xff | (pixel & 0xff) << 16)
        }
    }

    private static func failure(
        _ error: UnsafeMutablePointer<HalcyonSVGError>?,
        _ library: HalcyonSVGLibrary
    ) -> CodecError {
        guard let error else {
            return .corrupt(.svg, reason: "librsvg does not say what")
        }
        defer { library.g_error_free(error) }
        let message = error.pointee.message.map { String(cString: $0) } ?? "librsvg does not say what"
        // libxml2's XML_ERR_TAG_NOT_FINISHED: the text ends before an element does.
        return message.contains(" code 77 ") ? .truncated(.svg) : .corrupt(.svg, reason: message)
    }
}
