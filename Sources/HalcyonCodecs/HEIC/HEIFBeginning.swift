#if HEIC
internal import CHEIF

/// The beginning of a file, from which libheif reads what describes the pictures: it asks for the pictures' bytes as
/// well, and gets zeros for those that are not there.
///
/// libheif ends the process (`assert`) if it cannot read what it was told is there, so reading never fails then. How much
/// it reads, and takes memory for, is bound before it is asked (``HEIFItemLocations/areReasonable(_:meta:isBeginning:)``).
final class HEIFBeginning {
    /// libheif keeps the pointer.
    let callbacks: UnsafeMutablePointer<heif_reader>
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    /// - Parameter bytes: Borrowed, and read as long as the context to which this was given is open.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        callbacks = .allocate(capacity: 1)
        callbacks.initialize(
            to: heif_reader(
                reader_api_version: 1,
                get_position: { Int64(HEIFBeginning.from($0).position) },
                read: { HEIFBeginning.from($2).read(into: $0, count: $1) },
                seek: { HEIFBeginning.from($1).seek(to: $0) },
                wait_for_file_size: { HEIFBeginning.from($1).status(ofSize: $0) }
            )
        )
    }

    deinit {
        callbacks.deinitialize(count: 1)
        callbacks.deallocate()
    }

    /// What the callbacks get: this object, which whoever opens the context keeps.
    var userData: UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque()
    }

    private static func from(_ userData: UnsafeMutableRawPointer?) -> HEIFBeginning {
        guard let userData else {
            preconditionFailure("libheif hands back what it was given")
        }
        return Unmanaged.fromOpaque(userData).takeUnretainedValue()
    }

    private var end: Int { bytes.count + HEIFItemLocations.greatestMissingByteCount }

    private func read(into out: UnsafeMutableRawPointer?, count: Int) -> Int32 {
        guard count >= 0, count <= end - position else {
            return 1
        }
        // Nothing may be wanted in no place.
        guard let out, count > 0 else {
            return count == 0 ? 0 : 1
        }
        let available = min(count, max(0, bytes.count - position))
        if available > 0, let source = bytes.baseAddress {
            out.copyMemory(from: source + position, byteCount: available)
        }
        (out + available).initializeMemory(as: UInt8.self, repeating: 0, count: count - available)
        position += count
        return 0
    }

    private func seek(to position: Int64) -> Int32 {
        guard 0...Int64(end) ~= position else {
            return 1
        }
        self.position = Int(position)
        return 0
    }

    private func status(ofSize size: Int64) -> heif_reader_grow_status {
        size <= Int64(end) ? heif_reader_grow_status_size_reached : heif_reader_grow_status_size_beyond_eof
    }
}
#endif
