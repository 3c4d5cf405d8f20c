internal import CJPEGKernels
internal import HalcyonRaster

/// Decodes baseline files at 1/8, 2/8 and 4/8 of their sides without libjpeg, in half to two thirds of its time.
///
/// libjpeg spends nearly all of it on the entropy decoding of coefficients that do not count at these sizes. Whatever
/// this decoder does not know or finds damaged is left to libjpeg, which alone says what is wrong with a file.
struct JPEGReducer: ~Copyable {
    private let handle: OpaquePointer

    /// `nil` where there is no memory.
    init?() {
        guard let handle = halcyon_jpeg_reducer_create() else {
            return nil
        }
        self.handle = handle
    }

    deinit {
        halcyon_jpeg_reducer_destroy(handle)
    }

    /// The size of the rows to come, after ``start(_:of:scale:restartInterval:)``.
    var size: PixelSize {
        PixelSize(Int(halcyon_jpeg_reducer_width(handle)), Int(halcyon_jpeg_reducer_height(handle)))
    }

    /// Sets a Huffman table.
    ///
    /// - Parameters:
    ///   - counts: how many codes there are of 1 to 16 bits, 16 numbers.
    ///   - symbols: what the codes stand for, as many as `counts` add up to.
    ///   - isAC: whether it is a table for AC coefficients.
    ///   - destination: where it goes, 0 to 3.
    /// - Returns: whether it is a table that 8-bit images have.
    func setTable(counts: [UInt8], symbols: [UInt8], isAC: Bool, destination: Int) -> Bool {
        guard counts.count == 16 else {
            return false
        }
        return halcyon_jpeg_reducer_set_table(handle, isAC, Int32(destination), counts, symbols, symbols.count)
    }

    /// Adds the next component, with its 64 quantisation factors in zigzag order.
    func add(
        _ component: JPEGHeader.Component,
        quantization: [UInt16],
        tableOfDC: Int,
        tableOfAC: Int
    ) -> Bool {
        guard quantization.count == 64 else {
            return false
        }
        return halcyon_jpeg_reducer_add_component(
            handle,
            Int32(component.horizontalSampling),
            Int32(component.verticalSampling),
            Int32(tableOfDC),
            Int32(tableOfAC),
            quantization
        )
    }

    /// Prepares the scan, whose data begin with `bytes`, which must outlive this value.
    func start(_ bytes: UnsafeRawBufferPointer, of size: PixelSize, scale: JPEGScale, restartInterval: Int) -> Bool {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
            return false
        }
        return halcyon_jpeg_reducer_start(
            handle,
            start,
            bytes.count,
            Int32(size.width),
            Int32(size.height),
            scale.eighths,
            Int32(restartInterval)
        )
    }

    /// Decodes up to `unitRowCount` rows of units into the bitmap they belong to, whose size must be ``size``.
    ///
    /// - Returns: how many of the bitmap's rows are there, or `nil` for what is left to libjpeg.
    func decode(_ unitRowCount: Int, into bitmap: inout Bitmap) -> Int? {
        precondition(bitmap.size == size)
        let bytesPerRow = bitmap.bytesPerRow
        var rowCount: Int32 = 0
        let isSound = bitmap.withUnsafeMutableBytes { pixels in
            guard let start = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
                return false
            }
            return halcyon_jpeg_reducer_decode(handle, start, bytesPerRow, Int32(unitRowCount), &rowCount)
        }
        return isSound ? Int(rowCount) : nil
    }
}
