internal import CReferences
internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// Who does the work of a case, in a process of its own.
enum PixelContender: Hashable {
    case halcyon
    /// The format's C library, used as directly as it can be.
    case library
    /// libvips, the one at this path.
    case vips(path: String)

    init?(_ name: String, path: String) {
        switch name {
        case "halcyon": self = .halcyon
        case "library": self = .library
        case "vips": self = .vips(path: path)
        default: return nil
        }
    }

    /// Loads what it needs, and says what it is.
    func load() throws -> String {
        switch self {
        case .halcyon: return "Halcyon"
        case .library: return "the format's C library"
        case .vips(let path):
            // Threads of an image are not what is measured: each thread has an image of its own.
            if let failure = halcyon_vips_load(path, 1) {
                throw BenchmarkError("libvips: \(String(cString: failure))")
            }
            return "libvips \(halcyon_vips_version().map { String(cString: $0) } ?? "")"
        }
    }

    /// The work, to be done once each time it is called, on several threads at a time.
    func operation(_ work: PixelWork, _ input: PixelInput) throws -> @Sendable () throws -> Int {
        switch self {
        case .halcyon: try PixelOperations.halcyon(work, input)
        case .library: try PixelOperations.library(work, input)
        case .vips: try PixelOperations.vips(work, input)
        }
    }
}

/// The works of a suite as closures. Those that write a file return the number of its bytes, others 0.
enum PixelOperations {
    static func halcyon(_ work: PixelWork, _ input: PixelInput) throws -> @Sendable () throws -> Int {
        let codecs = ImageCodecs.standard
        switch work {
        case .thumbnail(let target):
            let (bytes, options) = (try input.bytes(), DecodeOptions(targetSize: target))
            return {
                blackHole(try codecs.decode(bytes, options: options).bitmap.resampled(to: target))
                return 0
            }
        case .decode:
            let bytes = try input.bytes()
            return {
                blackHole(try codecs.decode(bytes))
                return 0
            }
        case .frames:
            let bytes = try input.bytes()
            let count = try codecs.info(of: bytes).frameCount
            return {
                var cursor = try codecs.decoder(for: bytes).cursor(for: bytes, options: DecodeOptions())
                for frame in 0..<count {
                    blackHole(try cursor.bitmap(ofFrame: frame) { false })
                }
                return 0
            }
        case .resize(let target):
            let bitmap = try input.bitmap()
            return {
                blackHole(try bitmap.resampled(to: target))
                return 0
            }
        case .filter(let filter, let radius):
            let bitmap = try input.bitmap()
            return {
                blackHole(try filter.apply(to: bitmap, radius: Double(radius)))
                return 0
            }
        case .encode(let format, let quality):
            let bitmap = try input.bitmap()
            return { try codecs.encode(bitmap, as: format, options: EncodeOptions(quality: quality)).count }
        case .geometry(let work): return try geometry(work, input)
        }
    }

    static func vips(_ work: PixelWork, _ input: PixelInput) throws -> @Sendable () throws -> Int {
        var bytes = [UInt8](try input.bytes())
        let (width, height) = (Int32(input.size.width), Int32(input.size.height))
        switch work {
        case .thumbnail(let target):
            return try checked { [bytes] in
                halcyon_vips_thumbnail(bytes, bytes.count, Int32(target.width), Int32(target.height))
            }
        case .decode:
            return try checked { [bytes] in halcyon_vips_decode(bytes, bytes.count, 0) }
        case .frames:
            return try checked { [bytes] in halcyon_vips_decode(bytes, bytes.count, 1) }
        case .resize(let target):
            return try checked { [bytes] in
                halcyon_vips_resize(bytes, width, height, Int32(target.width), Int32(target.height))
            }
        case .filter(.blur, let radius):
            return try checked { [bytes] in halcyon_vips_blur(bytes, width, height, Double(radius)) }
        case .filter(.sharpen, _):
            // It sharpens the lightness of Lab, which is other work.
            throw BenchmarkError("it has no unsharp mask of samples")
        case .encode(let format, let quality):
            // Three samples a pixel, as libvips holds an image without alpha.
            bytes = bytes.indices.filter { $0 % 4 < 3 }.map { bytes[$0] }
            return { [bytes] in
                var byteCount = 0
                try CodecReference.check {
                    halcyon_vips_encode(bytes, width, height, 3, format.rawValue, Int32(quality), &byteCount)
                }
                return byteCount
            }
        case .geometry(let work):
            return try checked { [bytes] in
                switch work {
                case .avatar: halcyon_vips_avatar(bytes, bytes.count)
                case .crop: halcyon_vips_crop(bytes, width, height)
                case .flip: halcyon_vips_flip(bytes, width, height)
                case .corners: halcyon_vips_round_corners(bytes, width, height)
                case .rotation: halcyon_vips_rotate(bytes, width, height, GeometryWork.degrees)
                }
            }
        }
    }

    /// Does it once, so that what cannot be done is known before it is measured.
    private static func checked(_ body: @escaping @Sendable () -> Int32) throws -> @Sendable () throws -> Int {
        try CodecReference.check(body)
        return {
            try CodecReference.check(body)
            return 0
        }
    }
}

/// What the C libraries say.
enum CodecReference {
    static func check(_ body: () -> Int32) throws {
        guard body() == 0 else { throw BenchmarkError("it cannot do this") }
    }
}
