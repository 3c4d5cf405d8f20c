internal import FoundationEssentials
internal import HalcyonRaster

/// The content of the segments of a JPEG file before its first scan (ITU-T T.81 annex B).
struct JPEGHeader {
    struct Component {
        var horizontalSampling: Int
        var verticalSampling: Int
    }

    /// The low byte of the frame's SOF marker, which tells the coding process.
    var process: Int
    /// Bits a sample.
    var precision: Int
    var size: PixelSize
    var components: [Component]
    /// A Boolean value that indicates whether the image's data come in several scans, so that a decoder keeps the
    /// coefficients of the whole image; `false` as long as the first scan has not been seen.
    var hasMultipleScans = false
    /// A Boolean value that indicates whether the header of the first scan has been seen.
    var hasScan = false
    /// The colour transform of an Adobe segment, where there is one: 0 none, 1 YCbCr, 2 YCCK.
    var adobeTransform: Int?
    var orientation: Orientation = .up
    /// The embedded ICC profile, put together from its segments.
    var profile: Data?
    /// The EXIF block, from its TIFF header on.
    var exif: Data?
    /// The XMP packet.
    var xmp: Data?

    /// Reads the segments up to the first scan, or as far as the bytes go.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` where the bytes end before the frame header.
    init(parsing data: Data) throws(CodecError) {
        var segments = JPEGSegments(data)
        guard segments.hasStartOfImage else {
            throw data.count < 2 ? .truncated(.jpeg) : .corrupt(.jpeg, reason: "no start of image")
        }
        var frame: Frame?
        var metadata = JPEGMetadata()
        var isMultiple = false
        var hasScan = false
        while let segment = try segments.next() {
            if Frame.markers.contains(segment.marker) {
                // A second frame is an error that the decoder reports; the first one counts.
                if frame == nil {
                    frame = try Frame(segment)
                }
            } else if segment.marker == JPEGSegments.Marker.startOfScan {
                guard let frame else {
                    throw .corrupt(.jpeg, reason: "a scan before the frame header")
                }
                let scanComponents = ByteReader(segment.payload).uint8(at: 0) ?? 0
                hasScan = true
                isMultiple = frame.isProgressive || scanComponents < frame.components.count
                break
            } else {
                metadata.read(segment)
            }
        }
        guard let frame else {
            throw .truncated(.jpeg)
        }
        process = frame.process
        precision = frame.precision
        size = frame.size
        components = frame.components
        hasMultipleScans = isMultiple
        self.hasScan = hasScan
        adobeTransform = metadata.adobeTransform
        orientation = metadata.orientation ?? .up
        profile = try metadata.profile()
        exif = metadata.exif
        xmp = metadata.xmp
    }
}

extension JPEGHeader {
    /// A Boolean value that indicates whether the image is coded in passes of growing detail.
    var isProgressive: Bool { process & 3 == 2 }

    /// The reason for which libjpeg-turbo 2 cannot decode such a file, or `nil`.
    var unsupportedReason: String? {
        switch process {
        case 0xc0, 0xc1, 0xc2, 0xc9, 0xca: break
        case 0xc3, 0xcb: return "lossless JPEG"
        default: return "hierarchical JPEG"
        }
        if precision != 8 {
            return "\(precision) bits a sample"
        }
        if ![1, 3, 4].contains(components.count) {
            return "\(components.count) components"
        }
        return nil
    }

    /// The bytes of a decoder's buffer of coefficients (two bytes each) for the whole image, in whole blocks of 8 × 8.
    var coefficientByteCount: Int {
        let maximumHorizontal = components.map(\.horizontalSampling).max() ?? 1
        let maximumVertical = components.map(\.verticalSampling).max() ?? 1
        let unitColumns = (size.width - 1) / (8 * maximumHorizontal) + 1
        let unitRows = (size.height - 1) / (8 * maximumVertical) + 1
        let blocksPerUnit = components.reduce(0) { $0 + $1.horizontalSampling * $1.verticalSampling }
        // Sides have 16 bits, sampling factors 4: nothing here can overflow.
        return unitColumns * unitRows * blocksPerUnit * 128
    }

    /// A bound of what libjpeg needs besides: tables, and for each component some rows of blocks.
    var workingByteCount: Int {
        (1 << 20) + (size.width + 64) * components.count * 256
    }
}

extension JPEGHeader {
    /// The frame header (T.81 B.2.2).
    private struct Frame {
        /// SOF0 to SOF15 without DHT (C4), JPG (C8) and DAC (CC).
        static let markers: Set<Int> = Set(0xc0...0xcf).subtracting([0xc4, 0xc8, 0xcc])

        var process: Int
        var precision: Int
        var size: PixelSize
        var components: [Component]

        var isProgressive: Bool { process & 3 == 2 }

        init(_ segment: JPEGSegments.Segment) throws(CodecError) {
            let reader = ByteReader(segment.payload)
            guard let precision = reader.uint8(at: 0), let height = reader.uint16(at: 1),
                let width = reader.uint16(at: 3), let componentCount = reader.uint8(at: 5),
                let components = reader.bytes(at: 6, count: componentCount * 3)
            else {
                throw .corrupt(.jpeg, reason: "the frame header is too short")
            }
            guard width > 0, componentCount > 0 else {
                throw .corrupt(.jpeg, reason: "a frame without \(width == 0 ? "columns" : "components")")
            }
            // ITU-T T.81, B.2.2.
            guard 2...16 ~= precision else {
                throw .corrupt(.jpeg, reason: "\(precision) bits a sample")
            }
            guard height > 0 else {
                throw .unsupported(.jpeg, reason: "the height is given after the image data")
            }
            process = segment.marker
            self.precision = precision
            size = PixelSize(width, height)
            self.components = []
            for index in 0..<componentCount {
                let factors = Int(components[components.startIndex + index * 3 + 1])
                guard 1...4 ~= factors >> 4, 1...4 ~= factors & 15 else {
                    throw .corrupt(.jpeg, reason: "sampling factors \(factors >> 4) × \(factors & 15)")
                }
                self.components.append(Component(horizontalSampling: factors >> 4, verticalSampling: factors & 15))
            }
        }
    }
}
