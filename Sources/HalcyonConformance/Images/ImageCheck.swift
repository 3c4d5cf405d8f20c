internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonFormats
internal import HalcyonRaster

/// Reads one file of a collection in the ways that programs do, and compares what comes out with the list.
struct ImageCheck {
    /// The seconds that a file may take to be read once; the greatest value for one run.
    static let greatestSeconds = 10.0
    /// The bytes of memory for a file that is not stated to be an image.
    static let limitsOfDamaged = DecodeLimits(memory: 192 << 20)
    /// The seconds for which the frames of an animation are read of which the list states nothing.
    static let frameSeconds = 3.0

    let row: ImageManifestRow
    let folder: CorporaFolder
    let codecs: ImageCodecs

    init(_ row: ImageManifestRow, folder: CorporaFolder, codecs: ImageCodecs = .core + [.all]) {
        self.row = row
        self.folder = folder
        self.codecs = codecs
    }

    func verdict() -> ImageVerdict {
        guard let expectation = row.expectation else {
            return .skip("no image, but what others refer to: \(row["expectation"])")
        }
        if let missing = codecs.reasonForNoDecoder(ofManifestFormat: row.format) {
            return .skip(missing)
        }
        do {
            let data = try folder.data(row.path)
            let verdict =
                switch expectation {
                case .decodes: try compare(data)
                case .mustBeRejected: try rejection(data)
                case .partialOK, .noCrash: try anyAnswer(data)
                }
            try compareFillings(data, expectation == .decodes ? .standard : Self.limitsOfDamaged)
            return verdict
        } catch let failure as ImageMismatch {
            return .fail(failure.description)
        } catch let error as CodecError {
            return .fail("\(error.code): \(error)")
        } catch {
            return .fail("\(error)")
        }
    }

    private func compare(_ data: Data) throws -> ImageVerdict {
        let info = try codecs.info(of: data)
        try compareHeader(info)
        try compareShownSize(data, info)
        return try comparePixels(data, info)
    }

    /// As programs read it that want to show it.
    private func compareShownSize(_ data: Data, _ info: ImageInfo) throws {
        let (image, cost) = try ImageCost.measuring { try codecs.decode(data) }
        try cost.check(memory: DecodeLimits.standard.memory)
        guard image.info == info else {
            throw ImageMismatch("the header alone says \(info), decoding \(image.info)")
        }
        guard !image.isPartial else {
            throw ImageMismatch("only a part of it is shown")
        }
        guard image.size == info.displaySize else {
            throw ImageMismatch("a bitmap of \(image.size) pixels, although it is shown as \(info.displaySize)")
        }
    }

    private func rejection(_ data: Data) throws -> ImageVerdict {
        do {
            // A part of it may be shown.
            try readAll(data, .standard, damage: .isRefused)
        } catch let error as CodecError {
            return .pass("rejected: \(error.code)")
        }
        return row.isInConflict
            ? .skip("conflict: the suite wants it rejected, other decoders and this one accept it")
            : .fail("accepted, but must be rejected")
    }

    private func anyAnswer(_ data: Data) throws -> ImageVerdict {
        do {
            try readAll(data, Self.limitsOfDamaged)
        } catch let error as CodecError {
            return .pass("answered: \(error.code)")
        }
        return .pass("answered: an image")
    }

    /// The header, the image, and the frames that come next.
    private func readAll(
        _ data: Data,
        _ limits: DecodeLimits,
        damage: DamageHandling = .showsWhatIsThere
    ) throws {
        let options = DecodeOptions(limits: limits, damage: damage)
        let (result, cost) = ImageCost.measuring {
            Result {
                // The header and the decoding give two answers; only the second counts here.
                _ = try? codecs.info(of: data, limits: limits)
                let image = try codecs.decode(data, options: options)
                if image.info.frameCount > 1 {
                    try readFrames(data, count: image.info.frameCount, options)
                }
            }
        }
        try cost.check(memory: limits.memory)
        try result.get()
    }

    private func readFrames(_ data: Data, count: Int, _ options: DecodeOptions) throws {
        var cursor = try codecs.decoder(for: data).cursor(for: data, options: options)
        try readFrames(&cursor, count: count)
    }

    /// Reads frames in turn, as many as a fair time allows.
    func readFrames(_ cursor: inout any FrameCursor, count: Int) throws {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(Self.frameSeconds)
        for frame in 0..<count where clock.now < end {
            _ = try cursor.bitmap(ofFrame: frame) { false }
        }
    }
}

/// A difference between a file and what the list says of it.
struct ImageMismatch: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
