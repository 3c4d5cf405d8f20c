internal import FoundationEssentials
internal import HalcyonRaster

extension JPEGReducer {
    /// Rows of units between two questions whether decoding is cancelled.
    private static let unitRowsPerStep = 8

    /// The image at 1/8, 2/8 or 4/8 of its sides, or `nil` for what is libjpeg's.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - data: the same bytes.
    ///   - header: what was read of the same file.
    ///   - scale: the size to decode at.
    ///   - isCancelled: asked between groups of rows.
    static func bitmap(
        _ bytes: UnsafeRawBufferPointer,
        _ data: Data,
        header: JPEGHeader,
        scale: JPEGScale,
        isCancelled: () -> Bool
    ) throws -> Bitmap? {
        guard let reducer = JPEGReducer(), reducer.open(bytes, data, header: header, scale: scale),
            reducer.size == scale.size
        else {
            return nil
        }
        var bitmap = try Bitmap.forDecoding(scale.size, isOpaque: true)
        var rowCount = 0
        while rowCount < bitmap.height {
            if isCancelled() {
                throw CancellationError()
            }
            guard let count = reducer.decode(unitRowsPerStep, into: &bitmap) else {
                return nil
            }
            rowCount = count
        }
        return bitmap
    }

    /// Reads the tables and the scan header of a file, and prepares its image data.
    ///
    /// - Parameters:
    ///   - bytes: the whole file, which must outlive this value.
    ///   - data: the same bytes.
    ///   - header: what was read of the same file.
    ///   - scale: the size to decode at.
    /// - Returns: whether the file is one that this decoder reads.
    private func open(_ bytes: UnsafeRawBufferPointer, _ data: Data, header: JPEGHeader, scale: JPEGScale) -> Bool {
        guard header.precision == 8, [1, 3].contains(header.components.count), !header.hasMultipleScans else {
            return false
        }
        var segments = JPEGSegments(data)
        var tables = Tables()
        while let segment = try? segments.next() {
            guard segment.marker != JPEGSegments.Marker.startOfScan else {
                return addComponents(of: segment.payload, header: header, tables: tables)
                    && start(
                        UnsafeRawBufferPointer(rebasing: bytes[segments.offset...]),
                        of: header.size,
                        scale: scale,
                        restartInterval: tables.restartInterval
                    )
            }
            guard read(segment, into: &tables) else {
                return false
            }
        }
        return false
    }

    /// The settings of the segments before the scan, as far as it is needed at the scan.
    ///
    /// Tables are kept as they are in the file, and built for those that the scan names: one costs as much as decoding
    /// thousands of blocks, and a file may have thousands.
    private struct Tables {
        /// By class and destination.
        var huffman: [Int: (counts: Data, symbols: Data)] = [:]
        /// By destination: bytes of a factor, and the factors.
        var quantization: [Int: (size: Int, factors: Data)] = [:]
        var restartInterval = 0
        /// The components' identifiers and the destinations of their quantisation tables.
        var components: [(identifier: Int, quantization: Int)] = []
        var isYCbCr = false
        var adobeTransform: Int?
    }

    private func read(_ segment: JPEGSegments.Segment, into tables: inout Tables) -> Bool {
        let reader = ByteReader(segment.payload)
        switch segment.marker {
        case JPEGSegments.Marker.baselineFrame, JPEGSegments.Marker.extendedFrame:
            return readFrame(reader, into: &tables)
        case JPEGSegments.Marker.huffmanTables:
            return readHuffmanTables(reader, into: &tables)
        case JPEGSegments.Marker.quantizationTables:
            return readQuantization(reader, into: &tables)
        case JPEGSegments.Marker.restartInterval:
            tables.restartInterval = reader.uint16(at: 0) ?? 0
            return reader.count == 2
        case JPEGSegments.Marker.application0 where reader.hasText("JFIF\0", at: 0):
            tables.isYCbCr = true
            return reader.count >= 14
        case JPEGSegments.Marker.application14 where reader.hasText("Adobe", at: 0):
            tables.adobeTransform = reader.uint8(at: 11)
            return reader.count >= 12
        case 0xe0...0xef, 0xfe:
            return true
        default:
            // Any other process, arithmetic coding, a height given later, hierarchical files.
            return false
        }
    }

    private func readFrame(_ reader: ByteReader, into tables: inout Tables) -> Bool {
        guard tables.components.isEmpty, let count = reader.uint8(at: 5), reader.count == 6 + 3 * count else {
            return false
        }
        for index in 0..<count {
            guard let identifier = reader.uint8(at: 6 + 3 * index), let table = reader.uint8(at: 8 + 3 * index) else {
                return false
            }
            tables.components.append((identifier, table))
        }
        return Set(tables.components.map(\.identifier)).count == count
    }

    /// T.81 B.2.4.2.
    private func readHuffmanTables(_ reader: ByteReader, into tables: inout Tables) -> Bool {
        var offset = 0
        while offset < reader.count {
            guard let kind = reader.uint8(at: offset), kind >> 4 <= 1, kind & 15 <= 3,
                let counts = reader.bytes(at: offset + 1, count: 16)
            else {
                return false
            }
            let count = counts.reduce(0) { $0 + Int($1) }
            guard count <= 256, let symbols = reader.bytes(at: offset + 17, count: count) else {
                return false
            }
            tables.huffman[kind] = (counts, symbols)
            offset += 17 + count
        }
        return true
    }

    /// T.81 B.2.4.1.
    private func readQuantization(_ reader: ByteReader, into tables: inout Tables) -> Bool {
        var offset = 0
        while offset < reader.count {
            guard let kind = reader.uint8(at: offset), kind >> 4 <= 1 else {
                return false
            }
            let size = kind >> 4 + 1
            guard let bytes = reader.bytes(at: offset + 1, count: 64 * size) else {
                return false
            }
            tables.quantization[kind & 15] = (size, bytes)
            offset += 1 + 64 * size
        }
        return true
    }

    /// The scan header (T.81 B.2.3): all components, in the order of the frame, with all their coefficients.
    private func addComponents(of payload: Data, header: JPEGHeader, tables: Tables) -> Bool {
        let reader = ByteReader(payload)
        let count = header.components.count
        guard tables.components.count == count, reader.uint8(at: 0) == count, reader.count == 4 + 2 * count,
            reader.uint24(at: 1 + 2 * count) == 0x003f00, count == 1 || hasYCbCr(tables)
        else {
            return false
        }
        var built: Set<Int> = []
        for (index, component) in header.components.enumerated() {
            guard let selectors = reader.uint16(at: 1 + 2 * index),
                selectors >> 8 == tables.components[index].identifier,
                let quantization = tables.quantization[tables.components[index].quantization]
            else {
                return false
            }
            let (direct, alternating) = (selectors >> 4 & 15, selectors & 15)
            for kind in [direct, 0x10 | alternating] where built.insert(kind).inserted {
                guard setTable(kind, of: tables) else { return false }
            }
            let factors = ByteReader(quantization.factors)
            let isAdded = add(
                component,
                quantization: (0..<64).map { index in
                    UInt16((quantization.size == 1 ? factors.uint8(at: index) : factors.uint16(at: 2 * index)) ?? 0)
                },
                tableOfDC: direct,
                tableOfAC: alternating
            )
            guard isAdded else { return false }
        }
        return true
    }

    private func setTable(_ kind: Int, of tables: Tables) -> Bool {
        guard let table = tables.huffman[kind] else { return false }
        return setTable(
            counts: [UInt8](table.counts),
            symbols: [UInt8](table.symbols),
            isAC: kind >> 4 == 1,
            destination: kind & 15
        )
    }

    /// Returns whether three components are brightness and two colour differences, beyond any doubt: libjpeg looks at
    /// the JFIF segment, then at Adobe's, then at the components' identifiers.
    private func hasYCbCr(_ tables: Tables) -> Bool {
        if let transform = tables.adobeTransform {
            return transform == 1
        }
        return tables.isYCbCr || tables.components.map(\.identifier) == [1, 2, 3]
    }
}
