internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonSystem

extension EncodeOptions {
    /// Writes everything that changes the bytes of a file into a key.
    func encode(into encoder: inout CacheKeyEncoder) {
        encoder.encode(quality ?? -1)
        for component in [background.red, background.green, background.blue, background.alpha] {
            encoder.encode(component)
        }
        encoder.encode(maximumByteCount ?? -1)
        for block in [metadata?.exif, metadata?.xmp, metadata?.iccProfile] { encoder.encode(block) }
        switch colorProfile {
        case .icc(let profile)?:
            encoder.encode(Data?.some(profile))
        case .codePoints(let primaries, let transfer)?:
            encoder.encode(-primaries)
            encoder.encode(transfer)
        case nil:
            break
        }
        if orientation != .up { encoder.encode(orientation.rawValue) }
        if let effort { encoder.encode("effort \(effort)") }
        if isProgressive { encoder.encode("progressive") }
        if let chromaSampling { encoder.encode(chromaSampling.rawValue) }
        if isNearLossless { encoder.encode("near lossless") }
        // Several threads write other bytes than one, and the same whatever their number.
        if threadCount > 1 { encoder.encode("threads") }
    }
}

extension CacheKeyEncoder {
    /// Adds the length and a digest of 128 bits of metadata, which may be of megabytes, and comes from the program.
    fileprivate mutating func encode(_ data: Data?) {
        encode(data?.count ?? -1)
        guard let data else { return }
        data.withUnsafeBytes { bytes in
            encode(Int(truncatingIfNeeded: Checksum.hash(of: bytes)))
            encode(Int(truncatingIfNeeded: Checksum.hash(of: bytes, seed: 1)))
        }
    }
}
