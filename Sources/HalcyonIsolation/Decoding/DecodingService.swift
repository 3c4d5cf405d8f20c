internal import FoundationEssentials
package import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonSystem

/// The work of a worker: decoding with the decoders that its program has.
package final class DecodingService: WorkerService {
    private let decoders: [any ImageDecoder]

    package init(_ codecs: ImageCodecs) {
        decoders = codecs.decoders
    }

    package var names: [String] { decoders.map { DecodeCall.name(of: $0) } }

    package func prepare(for kind: WorkerKind) -> [String] {
        decoders.filter { DecoderConfinement.of($0).kind == kind }.flatMap { decoder -> [String] in
            if let decoder = decoder as? any ConfinableDecoder { return decoder.prepareForWorkers() }
            // One of the program's own may have a library, too.
            _ = try? decoder.decode(Data(count: 64), options: DecodeOptions(), isCancelled: { false })
            return []
        }
    }

    package func perform(_ task: WorkerTask) throws -> WorkerResult {
        let call = try DecodeCall(record: task.parameters)
        let decoder = decoders.first { $0.format == call.format && DecodeCall.name(ofTypeOf: $0) == call.type }
        guard let decoder else { throw NonsensicalAnswer("there is no \(call.type)") }
        // What is kept for other work takes memory that this image may need.
        if let kept = task.kept.value as? any KeptWork, kept.number != call.operation.number { task.kept.value = nil }
        do {
            // A decoder of the program's own may keep its pixels, and so may work that goes on.
            guard decoder is any ConfinableDecoder, call.operation.number == nil else {
                return try answer(call.operation, decoder, task)
            }
            return try MemoryPool.shared.lending(Self.lentOutput(task, call.operation)) {
                try answer(call.operation, decoder, task)
            }
        } catch let error as CodecError {
            throw WorkerFailure(payload: error.record)
        } catch let error as BitmapError {
            throw WorkerFailure(payload: CodecError.bitmap(error).record)
        } catch let error as WorkerOutputRefusal {
            throw error
        } catch let error as CancellationError {
            throw error
        } catch {
            // A decoder of the program's own may throw anything.
            throw WorkerFailure(payload: CodecError.corrupt(decoder.format, reason: "\(error)").record)
        }
    }

    private func answer(
        _ operation: DecodeCall.Operation,
        _ decoder: any ImageDecoder,
        _ task: WorkerTask
    ) throws -> WorkerResult {
        let isCancelled = { @Sendable [cancellation = task.cancellation] in cancellation.isCancelled }
        switch operation {
        case .info(let limits):
            let info = try decoder.info(of: Data(borrowing: task.input), limits: limits)
            return try task.result { info.write(to: &$0) }
        case .metadata:
            let metadata = try decoder.metadata(of: Data(borrowing: task.input))
            return try task.result { metadata.write(to: &$0) }
        case .image(let options):
            let image = try decoder.decode(Data(borrowing: task.input), options: options, isCancelled: isCancelled)
            return try task.result(image.converted(options.color, isCancelled: isCancelled))
        case .wholeImage(let options):
            let image = try ImageCodecs.image(
                of: Data(borrowing: task.input),
                with: decoder,
                options: options,
                isCancelled: isCancelled
            )
            return try task.result(image)
        case .open(let options, let number):
            let animation = try OpenAnimation(number, task.input, decoder, options)
            task.kept.value = animation
            let info =
                try animation.cursor.info
                ?? decoder.info(of: Data(borrowing: task.input), limits: options.limits)
            return try task.result { info.write(to: &$0) }
        case .frame(let index, let options, let number):
            let animation: OpenAnimation
            if let open = task.kept.value as? OpenAnimation, open.number == number {
                animation = open
            } else {
                animation = try OpenAnimation(number, task.input, decoder, options)
                task.kept.value = animation
            }
            let (bitmap, description) = try animation.frame(at: index, isCancelled: isCancelled)
            return try task.result(bitmap, description)
        case .begin(let options, let number):
            guard let decoder = decoder as? any IncrementalDecoding else {
                throw CodecError.unsupported(decoder.format, reason: "it is decoded once all of it is there")
            }
            let image = ArrivingImage(
                number,
                try decoder.incrementalReader(for: Data(task.input), options: options),
                options
            )
            task.kept.value = image
            return try task.result { image.state(hasMore: true).write(to: &$0) }
        case .advance(let number, let isEnd):
            let image = try arrivingImage(number, task)
            if !task.input.isEmpty { try image.reader.append(Data(task.input)) }
            if isEnd { image.reader.end() }
            let hasMore = try image.reader.advance(isCancelled: isCancelled)
            return try task.result { image.state(hasMore: hasMore).write(to: &$0) }
        case .partialImage(let number):
            let image = try arrivingImage(number, task)
            let shown = try image.reader.image(isCancelled: isCancelled)
            return try task.result(shown.converted(image.options.color, isCancelled: isCancelled))
        case .thumbnail(let options):
            let thumbnail = try (decoder as? any IncrementalDecoding)?.embeddedThumbnail(
                in: Data(borrowing: task.input),
                options: options,
                isCancelled: isCancelled
            )
            // A result without pixels is none.
            guard let thumbnail else { return WorkerResult() }
            return try task.result(thumbnail.converted(options.color, isCancelled: isCancelled))
        }
    }

    /// Returns the memory into which pixels are decoded at once. Those that are scaled before they are handed out do not fit.
    private static func lentOutput(
        _ task: WorkerTask,
        _ operation: DecodeCall.Operation
    ) -> UnsafeMutableRawBufferPointer {
        guard case .wholeImage(let options) = operation, options.scaledFullSize != nil, let target = options.targetSize
        else { return task.lentOutput }
        let byteCount = target.bitmapByteCount(depth: options.keepsSixteenBits ? .sixteen : .eight)
        return UnsafeMutableRawBufferPointer(rebasing: task.lentOutput.prefix(max(0, byteCount)))
    }

    private func arrivingImage(_ number: Int, _ task: WorkerTask) throws -> ArrivingImage {
        guard let image = task.kept.value as? ArrivingImage, image.number == number else {
            throw CodecError.isolation(.cannotShare(reason: "the part of the image that was read is gone"))
        }
        return image
    }
}

/// Work that a worker keeps open from one request to the next.
private protocol KeptWork: AnyObject {
    var number: Int { get }
}

/// An image that a worker reads while its bytes arrive.
private final class ArrivingImage: KeptWork {
    let number: Int
    let reader: any IncrementalReading
    let options: DecodeOptions

    init(_ number: Int, _ reader: any IncrementalReading, _ options: DecodeOptions) {
        self.number = number
        self.reader = reader
        self.options = options
    }

    func state(hasMore: Bool) -> ArrivingImageState {
        ArrivingImageState(
            progress: reader.progress,
            matchesWholeDecoding: reader.matchesWholeDecoding,
            hasMore: hasMore
        )
    }
}

/// An animation that a worker keeps open from one frame to the next.
private final class OpenAnimation: KeptWork {
    let number: Int
    private(set) var cursor: any FrameCursor
    private let color: ColorHandling

    /// - Throws: ``CodecError``.
    init(_ number: Int, _ input: UnsafeRawBufferPointer, _ decoder: any ImageDecoder, _ options: DecodeOptions) throws {
        self.number = number
        color = options.color
        // The input is there for one piece of work.
        cursor = try decoder.cursor(for: Data(input), options: options)
    }

    /// Composes a frame, in the colours that the options ask for.
    func frame(at index: Int, isCancelled: @Sendable () -> Bool) throws -> (Bitmap, BitmapDescription) {
        var bitmap = try cursor.bitmap(ofFrame: index, isCancelled: isCancelled)
        var colorProfile = cursor.colorProfile
        if color == .sRGB, let profile = colorProfile {
            try bitmap.convertToSRGB(from: profile, isCancelled: isCancelled)
            colorProfile = nil
        }
        let description = BitmapDescription(
            isOpaque: bitmap.isOpaque,
            isPartial: cursor.isPartial,
            colorProfile: colorProfile,
            info: cursor.frameInfo,
            fullSize: bitmap.size,
            partialEdges: bitmap.partialEdges
        )
        return (bitmap, description)
    }
}

extension WorkerTask {
    fileprivate func result(_ write: (inout RecordWriter) -> Void) throws -> WorkerResult {
        var writer = RecordWriter()
        write(&writer)
        let output = try output(byteCount: writer.bytes.count)
        output.copyBytes(from: writer.bytes)
        return WorkerResult(descriptionByteCount: writer.bytes.count)
    }

    fileprivate func result(_ image: DecodedImage) throws -> WorkerResult {
        let description = BitmapDescription(
            isOpaque: image.bitmap.isOpaque,
            isPartial: image.isPartial,
            colorProfile: image.colorProfile,
            info: image.info,
            fullSize: image.fullSize,
            partialEdges: image.bitmap.partialEdges
        )
        return try result(image.bitmap, description)
    }

    fileprivate func result(_ bitmap: Bitmap, _ description: BitmapDescription) throws -> WorkerResult {
        var writer = RecordWriter()
        description.write(to: &writer)
        let output = try output(byteCount: bitmap.byteCount + writer.bytes.count)
        bitmap.withUnsafeBytes { pixels in
            if pixels.baseAddress != UnsafeRawPointer(output.baseAddress) { output.copyMemory(from: pixels) }
        }
        UnsafeMutableRawBufferPointer(rebasing: output[bitmap.byteCount...]).copyBytes(from: writer.bytes)
        return WorkerResult(
            width: bitmap.width,
            height: bitmap.height,
            bytesPerRow: bitmap.bytesPerRow,
            bytesPerPixel: bitmap.bytesPerPixel,
            descriptionByteCount: writer.bytes.count
        )
    }
}
