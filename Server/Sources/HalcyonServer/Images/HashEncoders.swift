internal import FoundationEssentials
internal import Halcyon

/// Encodes images as the text of a BlurHash, so that pipelines make and keep it as any other form of an image.
struct BlurHashEncoder: ImageEncoder {
    let format = ImageFormat.blurHash

    func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        do {
            return Data(try BlurHash(bitmap, background: options.background).text.utf8)
        } catch {
            throw error as? CodecError ?? .cannotEncode(format, reason: "\(error)")
        }
    }
}

/// Encodes images as the bytes of a ThumbHash.
struct ThumbHashEncoder: ImageEncoder {
    let format = ImageFormat.thumbHash

    func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        do {
            return try ThumbHash(bitmap).bytes
        } catch {
            throw error as? CodecError ?? .cannotEncode(format, reason: "\(error)")
        }
    }
}

extension ImageCodecs {
    /// The standard codecs with the encoders of hashes.
    static var server: ImageCodecs {
        standard.registering(encoder: BlurHashEncoder()).registering(encoder: ThumbHashEncoder())
    }
}
