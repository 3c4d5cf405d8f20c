import FoundationEssentials
import HTTPTypes

@testable import Halcyon
@testable import HalcyonCodecs
@testable import HalcyonHTTP
@testable import HalcyonStore
@testable import HalcyonSystem

/// Readers of what lies on disk, and of what stands beside pixels in a file.
enum StoredTarget: String, CaseIterable, Sendable {
    /// The head of a response, as it is stored beside a body.
    case responseMetadata = "stored-response"
    /// What is stored beside a processed image.
    case imageMetadata = "stored-image"
    /// The journal of an interrupted body.
    case journal
    /// The index of a disk cache, of which a part is overwritten.
    case index
    /// EXIF blocks and ICC profiles.
    case metadata
    /// ICC profiles, of which each converts bitmaps of all kinds.
    case icc
    /// The text of `data:` URLs.
    case dataURL = "data-url"

    func run(_ data: Data) {
        switch self {
        case .responseMetadata:
            guard let head = StoredResponse(metadata: data) else { return }
            precondition(StoredResponse(metadata: head.metadata) == head, "a head that is not read as it was written")
        case .imageMetadata:
            guard let metadata = ProcessedImageMetadata(data) else { return }
            _ = metadata.validity(isShared: true)?.isVarying
            guard let bitmap = try? Bitmap(size: PixelSize(2, 2)) else { return }
            let image = metadata.image(bitmap)
            _ = try? image.converted(.sRGB)
        case .journal: readJournal(Array(data))
        case .index: openIndex(data)
        case .metadata: readMetadata(data)
        case .icc: convertColors(data)
        case .dataURL:
            do {
                _ = try DataURL(String(decoding: data, as: UTF8.self)).decoded()
            } catch {
                let _: DataURLError = error
            }
        }
    }

    /// As they are, and once more behind a preamble whose checksum is right: it would not be made up.
    private func readJournal(_ bytes: [UInt8]) {
        func number(_ value: UInt64) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
        let version = UInt64(PartialBodyJournal.version)
        let seed = bytes.withUnsafeBytes { Checksum.hash(of: $0, seed: version) }
        let preamble = number(Self.journalMagic) + number(version) + number(UInt64(bytes.count)) + number(seed)
        for bytes in [bytes, preamble + bytes] {
            var size = 0
            var seed: UInt64 = 0
            guard let journal = PartialBodyJournal(bytes, size: &size, seed: &seed) else { continue }
            precondition(size <= bytes.count, "more bytes understood than there are")
            _ = journal.response.whole(updatedWith: [:], of: Self.response, totalBytes: 1)
        }
    }

    /// As the format says.
    private static let journalMagic: UInt64 = 0x7472_6150_636C_6148

    private static let response = TransferResponse(status: 206, url: URL(filePath: "/"))

    private static let folder: String = {
        let path = TemporaryFolder.path + "/halcyon-fuzz-\(UUID().uuidString)"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }()

    /// The files of a sound cache with a few entries.
    private static let soundIndex: Data = {
        let path = folder + "/sound"
        let cache = DiskCache(DiskCache.Configuration(folder: path))
        for number in 0..<20 {
            _ = try? cache.store(Data(repeating: UInt8(number), count: number * 1_000), for: "key \(number)")
        }
        try? cache.flush()
        return (try? Data(contentsOf: URL(filePath: DiskLayout(folder: path).index))) ?? Data()
    }()

    /// The first four bytes say which part of the index the others take the place of.
    private func openIndex(_ data: Data) {
        var index = Self.soundIndex
        guard data.count > 4, !index.isEmpty else { return }
        let offset = data.prefix(4).reduce(0) { $0 << 8 | Int($1) } % index.count
        for (position, byte) in zip(offset..<index.count, data.dropFirst(4)) { index[position] = byte }
        let path = Self.folder + "/damaged"
        try? FileManager.default.removeItem(atPath: path)
        let layout = DiskLayout(folder: path)
        try? FileManager.default.createDirectory(atPath: layout.versionFolder, withIntermediateDirectories: true)
        try? index.write(to: URL(filePath: layout.index))
        let cache = DiskCache(DiskCache.Configuration(folder: path))
        do {
            for number in [0, 1, 5, 19] {
                if let entry = cache.entry(for: "key \(number)"), number < 17 {
                    precondition(entry.body.allSatisfy { $0 == UInt8(number) }, "a wrong body for key \(number)")
                }
            }
            _ = try cache.store(Data([1]), for: "new")
            _ = try cache.entries()
            _ = try cache.verify(repair: true)
            let isSound = try cache.verify().isSound
            precondition(isSound, "a cache that is not sound after its repair")
        } catch {
            let _: DiskCacheError = error
        }
    }

    private func convertColors(_ profile: Data) {
        _ = (ICCProfile.description(of: profile), ICCProfile.colorSpace(of: profile))
        for (depth, isOpaque) in [(SampleDepth.eight, true), (.eight, false), (.sixteen, true), (.sixteen, false)] {
            guard var bitmap = try? Bitmap(size: PixelSize(5, 3), isOpaque: isOpaque, depth: depth) else { return }
            bitmap.fill(PixelRect(x: 0, y: 0, width: 5, height: 3), with: isOpaque ? .white : .clear)
            bitmap.fill(PixelRect(x: 1, y: 1, width: 2, height: 1), with: Color(red: 0.3, green: 0.6, blue: 0.1))
            let info = ImageInfo(format: .png, size: bitmap.size)
            _ = try? DecodedImage(bitmap: bitmap, info: info, colorProfile: .icc(profile)).converted(.sRGB)
        }
    }

    private func readMetadata(_ data: Data) {
        _ = EXIF.orientation(in: data)
        let upright = EXIF.block(data, orientation: .up, size: PixelSize(3, 2))
        precondition(upright?.count == EXIF.tiff(of: data).count, "a block of another length")
        if EXIF.orientation(in: data) != nil {
            precondition(upright.flatMap(EXIF.orientation) == .up, "a block that is not upright")
        }
        let turned = EXIF.block(data, orientation: .right, size: PixelSize(3, 2))
        precondition(turned.flatMap(EXIF.orientation) == .right, "a block without a turn")
        _ = EXIF.thumbnail(in: EXIF.tiff(of: data))
        _ = ICCProfile.description(of: data)
        _ = ICCProfile.colorSpace(of: data)
        guard let bitmap = try? Bitmap(size: PixelSize(3, 2), isOpaque: true) else { return }
        let info = ImageInfo(format: .png, size: bitmap.size)
        _ = try? DecodedImage(bitmap: bitmap, info: info, colorProfile: .icc(data)).converted(.sRGB)
    }
}

enum TemporaryFolder {
    static let path = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
}
