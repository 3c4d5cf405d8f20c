internal import HTTPTypes

/// Header names that have come before. Servers send the same dozen with every response, and to check and to lower-case a
/// name takes much longer than to find it here.
///
/// Every name has one place, by its hash, and drives out what stood there: so the memory is bounded, whatever a server
/// sends. Names are compared byte by byte, because ``HTTPTypes/HTTPField/Name`` keeps the case they were received in.
final class FieldNameCache {
    /// A name, and whether the transport itself has to know the field.
    struct Entry {
        let name: HTTPField.Name
        let notable: NotableField?
    }

    private struct Place {
        var bytes: [UInt8] = []
        var entry: Entry?
    }

    private static let placeCount = 128
    /// Longer names are not kept.
    private static let maximumLength = 64

    @exclusivity(unchecked)  // Nothing that is called meanwhile leads back here.
    private var places = [Place](repeating: Place(), count: placeCount)

    /// The name spelled by `bytes`; `nil` if it is not a token (RFC 9110, section 5.6.2).
    func entry(_ bytes: UnsafeBufferPointer<UInt8>) -> Entry? {
        guard bytes.count <= Self.maximumLength else { return Self.parse(bytes) }
        let index = Int(truncatingIfNeeded: Self.hash(bytes)) & (Self.placeCount - 1)
        if let entry = places[index].entry, Self.equal(places[index].bytes, bytes) { return entry }
        guard let entry = Self.parse(bytes) else { return nil }
        places[index] = Place(bytes: Array(bytes), entry: entry)
        return entry
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Entry? {
        HTTPField.Name(String(decoding: bytes, as: UTF8.self)).map { Entry(name: $0, notable: NotableField($0)) }
    }

    private static func equal(_ left: [UInt8], _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for index in 0..<left.count where left[index] != right[index] { return false }
        return true
    }

    /// FNV-1a. Collisions only cost time: the place is taken over.
    private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        var hash: UInt32 = 2_166_136_261
        for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return hash ^ (hash >> 16)
    }
}

/// Response fields that the transport itself reads.
enum NotableField {
    case contentLength
    case transferEncoding
    case contentEncoding

    init?(_ name: HTTPField.Name) {
        switch name {
        case .contentLength: self = .contentLength
        case .transferEncoding: self = .transferEncoding
        case .contentEncoding: self = .contentEncoding
        default: return nil
        }
    }
}
