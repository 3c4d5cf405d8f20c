internal import CHEIFShim
internal import HalcyonCodecs

/// The beginning of a file, from which libheif reads what describes the images: it asks for the images' bytes as
/// well, and gets zeros for those that are not there.
///
/// The bytes it reads, and takes memory for, are bounded before it is asked
/// (``HEIFItemLocations/areReasonable(_:meta:isBeginning:)``).
final class HEIFBeginning {
    /// libheif keeps the pointer.
    private let beginning: UnsafeMutablePointer<HalcyonHEIFBeginning>

    /// - Parameter bytes: Borrowed, and read as long as the context that reads this is open.
    init(_ bytes: UnsafeRawBufferPointer) {
        beginning = .allocate(capacity: 1)
        beginning.initialize(to: HalcyonHEIFBeginning())
        beginning.pointee.bytes = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        beginning.pointee.count = Int64(bytes.count)
        beginning.pointee.end = Int64(bytes.count + HEIFItemLocations.greatestMissingByteCount)
    }

    deinit {
        beginning.deinitialize(count: 1)
        beginning.deallocate()
    }

    /// Reads the boxes; this object must be kept as long as the context is open.
    func read(into context: OpaquePointer) -> heif_error {
        halcyon_heif_read_beginning(context, beginning)
    }
}
