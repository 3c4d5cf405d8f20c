internal import FoundationEssentials
internal import HalcyonRaster

extension PNGFile {
    /// What the file says, in the words all formats share.
    func info(in bytes: UnsafeRawBufferPointer) -> ImageInfo {
        var info = ImageInfo(format: .png, size: header.size)
        info.bitDepth = header.bitDepth
        info.hasAlpha = header.colorType.hasAlpha || transparency != nil
        info.colorSpace = colorSpace(in: bytes)
        if let exif {
            info.orientation = EXIF.orientation(in: Data(bytes[exif])) ?? .up
        }
        if isAnimated {
            info.frameCount = frames.count
            info.frameDurations = frames.map(\.duration)
            info.loopCount = playCount
        }
        return info
    }

    private func colorSpace(in bytes: UnsafeRawBufferPointer) -> ColorSpace {
        if let colorProfile, let name = profileName(UnsafeRawBufferPointer(rebasing: bytes[colorProfile])) {
            return .icc(description: name)
        }
        return header.colorType == .gray || header.colorType == .grayAlpha ? .gray : .sRGB
    }

    /// The name inside the profile, or else the one the chunk gives it (PNG, 11.3.2.3).
    private func profileName(_ payload: UnsafeRawBufferPointer) -> String? {
        guard let end = payload.prefix(80).firstIndex(of: 0), end > 0, end + 2 <= payload.count else {
            return nil
        }
        let stream = UnsafeRawBufferPointer(rebasing: payload[(end + 2)...])
        if let profile = PNGInflater.profile(stream), let name = ICCProfile.description(of: profile) {
            return name
        }
        // Latin-1 has the code points of Unicode.
        return String(String.UnicodeScalarView(payload[..<end].map { Unicode.Scalar($0) }))
    }
}
