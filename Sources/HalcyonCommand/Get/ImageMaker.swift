internal import FoundationEssentials
internal import Halcyon
internal import HalcyonSystem

/// Makes the bytes of a file of an image: loaded, processed and encoded, with what is kept of the original's metadata.
struct ImageMaker: Sendable {
    let pipeline: ImagePipeline
    /// The options of each load, without a processor.
    let options: [ImageOption]
    let writer: OutputWriter
    let progress: @Sendable (ImageProgress) -> Void

    struct Made: Sendable {
        let data: Data
        var loaded: GetResult.Loaded

        init(_ image: EncodedImage) {
            data = image.data
            loaded = GetResult.Loaded(image)
        }

        init(_ data: Data, _ loaded: GetResult.Loaded) {
            self.data = data
            self.loaded = loaded
        }
    }

    func image(
        from source: Source,
        for item: ListItem,
        _ variant: OutputVariant,
        as format: EncodedImageFormat
    ) async throws -> Made {
        var made =
            if let kinds = writer.metadata,
                !format.keepsOriginal || !format.encodedOriginals.isEmpty || writer.namedFormat(for: item) != nil
            {
                try await imageWithMetadata(kinds, from: source, for: item, variant, as: format)
            } else {
                Made(try await encoded(source, options + processing(item, variant), as: format))
            }
        let target = made.loaded.format
        if made.loaded.frameCount > 1, !made.loaded.isOriginal, !variant.isStill,
            !(ImageCodecs.standard.encoder(for: target) is any AnimationEncoder)
        {
            made.loaded.note = "\(target) holds one image, not the animation of \(made.loaded.frameCount) frames"
        } else if made.loaded.pageCount > 1, !made.loaded.isOriginal, !variant.isStill {
            made.loaded.note = "of \(made.loaded.pageCount) pages it has the first; --frame 1 takes the second"
        } else if made.loaded.originalFormat != target, writer.isEncodedForName(item, variant) {
            made.loaded.note = "encoded as \(target), as its name says; the original is \(made.loaded.originalFormat)"
        }
        return made
    }

    /// Makes a smaller size of an image that was loaded.
    func image(from base: ImageResponse, for item: ListItem, _ variant: OutputVariant) async throws -> Made {
        let (target, options) = writer.target(for: item, base.image.info, nil, nil)
        var loaded = GetResult.Loaded(base)
        let (image, chain) = (base.image, variant.processing)
        let start = ContinuousClock.now
        do {
            let (data, size) = try await pipeline.withPixels(of: image) { _ in
                let result = try chain.process(image)
                return (try ImageCodecs.standard.encode(result.bitmap, as: target, options: options), result.size)
            }
            loaded.size = size
            loaded.format = target
            loaded.timings.encode = ContinuousClock.now - start
            return Made(data, loaded)
        } catch let error as CodecError {
            throw ImageError(stage: .encode, reason: .codec(error), source: item.argument.text)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw ImageError(stage: .process, reason: .processing("\(error)"), source: item.argument.text)
        }
    }

    private func processing(_ item: ListItem, _ variant: OutputVariant) -> [ImageOption] {
        writer.options(for: item, variant) + (variant.processing == .identity ? [] : [.processor(variant.processing)])
    }

    private func encoded(
        _ source: Source,
        _ options: [ImageOption],
        as format: EncodedImageFormat
    ) async throws -> EncodedImage {
        try await pipeline.encoded(
            for: ImageRequest(source, options: options),
            as: format,
            onProgress: progress
        )
    }

    /// Loads the original, and makes the result of its bytes, which have the metadata.
    private func imageWithMetadata(
        _ kinds: MetadataKinds,
        from source: Source,
        for item: ListItem,
        _ variant: OutputVariant,
        as format: EncodedImageFormat
    ) async throws -> Made {
        var unchanged = EncodedImageFormat.original()
        unchanged.keepsOriginal = true
        let original = try await encoded(source, options, as: unchanged)
        let isInFormat = writer.namedFormat(for: item).map { $0.format == original.format } ?? true
        if format.keepsOriginal, isInFormat, !format.encodedOriginals.contains(original.format) {
            return Made(original)
        }
        var made = try await remade(kinds, original, for: item, variant)
        let (loaded, first) = (made.loaded, GetResult.Loaded(original))
        made.loaded = first
        made.loaded.size = loaded.size
        made.loaded.format = loaded.format
        made.loaded.isOriginal = false
        made.loaded.timings.process = loaded.timings.process
        made.loaded.timings.encode = loaded.timings.encode
        return made
    }

    private func remade(
        _ kinds: MetadataKinds,
        _ original: EncodedImage,
        for item: ListItem,
        _ variant: OutputVariant
    ) async throws -> Made {
        let metadata: ImageMetadata
        do {
            metadata = kinds.kept(
                of: try UntrustedImages.codecs(for: item.argument.shownText).metadata(of: original.data)
            )
        } catch {
            throw ImageError(stage: .decode, reason: .codec(error), source: item.argument.text)
        }
        let source = Source.data(original.data)
        let still = [.noCache] + processing(item, variant)
        guard kinds.keepsProfile, let profile = metadata.iccProfile, !ICCProfile.isProfile(profile, for: .inks),
            !original.originalInfo.isAnimated || variant.isStill
        else {
            let format = writer.format(for: item, original.originalInfo, metadata)
            return Made(try await encoded(source, still, as: format))
        }
        // The pixels keep the colours of the profile.
        let options = still + [.color(.asStored)]
        let image = try await pipeline.image(from: ImageRequest(source, options: options))
        let (target, encode) = writer.target(for: item, original.originalInfo, metadata, image.colorProfile)
        var loaded = GetResult.Loaded(original)
        let data: Data
        do {
            data = try await pipeline.withPixels(of: image) { bitmap in
                try ImageCodecs.standard.encode(bitmap, as: target, options: encode)
            }
        } catch let error as CodecError {
            throw ImageError(stage: .encode, reason: .codec(error), source: item.argument.text)
        }
        loaded.size = image.size
        loaded.format = target
        return Made(data, loaded)
    }
}
