internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonSystem

/// A decoder whose work is done by a worker.
struct ConfinedDecoder: WholeImageDecoder, IncrementalDecoding {
    private let decoder: any ImageDecoder
    private let confinement: DecoderConfinement
    private let isolation: WorkerIsolation

    /// The time for an image, or for what has arrived of it.
    fileprivate static let timeLimit: Duration = .seconds(60)
    /// Processor time that a drawing may take, which states no size of its work.
    private static let drawingTimeLimit: Duration = .seconds(10)
    /// What the memory of a worker may exceed that of the image by: libraries, fonts, buffers of their own.
    private static let additionalMemory = 256 << 20
    private static let largestMemory = 1 << 40

    init(_ decoder: any ImageDecoder, _ confinement: DecoderConfinement, _ isolation: WorkerIsolation) {
        self.decoder = decoder
        self.confinement = confinement
        self.isolation = isolation
    }

    var format: ImageFormat { decoder.format }

    func recognizes(_ prefix: Data) -> Bool { decoder.recognizes(prefix) }

    // MARK: Headers

    private var readsHeaderHere: Bool { !confinement.usesLibraryForHeader && !isolation.isRequired }

    func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        if readsHeaderHere { return try decoder.info(of: data, limits: limits) }
        return try typed {
            try call(.info(limits), data, limits, isCancelled: CancellationFlag.isCurrentCancelled) {
                try decoder.info(of: data, limits: limits)
            } receive: { response, format in
                try response.description { reader throws(NonsensicalAnswer) in
                    try ImageInfo(from: &reader, of: format, limits: limits)
                }
            }
        }
    }

    func metadata(of data: Data) throws(CodecError) -> ImageMetadata {
        if readsHeaderHere { return try decoder.metadata(of: data) }
        return try typed {
            try call(.metadata, data, .standard, isCancelled: CancellationFlag.isCurrentCancelled) {
                try decoder.metadata(of: data)
            } receive: { response, _ in
                try response.description { reader throws(NonsensicalAnswer) in try ImageMetadata(from: &reader) }
            }
        }
    }

    private func typed<Result>(_ body: () throws -> Result) throws(CodecError) -> Result {
        do {
            return try body()
        } catch let error as CodecError {
            throw error
        } catch {
            // Of what was cancelled nobody waits for the error, whose type the protocol does not allow.
            throw .isolation(.unavailable(reason: "\(error)"))
        }
    }

    // MARK: Images

    func decode(_ data: Data, options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        try call(.image(options), data, options.limits, isCancelled: isCancelled) {
            try decoder.decode(data, options: options, isCancelled: isCancelled)
        } receive: { response, format in
            try response.image(of: format, options, isolation)
        }
    }

    func wholeImage(_ data: Data, options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        try call(.wholeImage(options), data, options.limits, isCancelled: isCancelled) {
            try ImageCodecs.image(of: data, with: decoder, options: options, isCancelled: isCancelled)
        } receive: { response, format in
            let image = try response.image(of: format, options, isolation)
            if let limit = options.bitmapLimit,
                limit.reduced(image.bitmap.size, depth: image.bitmap.depth) != image.bitmap.size
            {
                throw NonsensicalAnswer("an image of \(image.bitmap.size) pixels, which is more than was asked for")
            }
            if let target = image.scalingTarget(of: options) {
                throw NonsensicalAnswer("an image of \(image.bitmap.size) pixels, where \(target) was asked for")
            }
            return image
        }
    }

    // MARK: Animations

    func cursor(for data: Data, options: DecodeOptions) throws -> sending any FrameCursor {
        let session = WorkerSession(isolation.pool)
        let place: Place = try call(
            .open(options, animation: session.number),
            data,
            options.limits,
            isCancelled: CancellationFlag.isCurrentCancelled
        ) {
            .program
        } receive: { response, format in
            try response.description { reader throws(NonsensicalAnswer) in
                .worker(try ImageInfo(from: &reader, of: format, limits: options.limits))
            }
        }
        switch place {
        case .program: return try decoder.cursor(for: data, options: options)
        case .worker(let info):
            return ConfinedCursor(decoder: self, data: data, options: options, session: session, info: info)
        }
    }

    /// Where an animation is open.
    private enum Place {
        case program
        case worker(ImageInfo)
    }

    fileprivate func frame(
        _ index: Int,
        of data: Data,
        options: DecodeOptions,
        _ session: WorkerSession,
        isCancelled: @Sendable () -> Bool
    ) throws -> (Bitmap, BitmapDescription) {
        try call(
            .frame(index, options, animation: session.number),
            data,
            options.limits,
            isCancelled: isCancelled,
            inProgram: Self.lost
        ) { response, format in
            try response.bitmap(of: format, options, isolation)
        }
    }

    // MARK: Images that arrive

    func incrementalReader(for beginning: Data, options: DecodeOptions) throws -> any IncrementalReading {
        let session = WorkerSession(isolation.pool)
        let state = try call(
            .begin(options, image: session.number),
            beginning,
            options.limits,
            isCancelled: CancellationFlag.isCurrentCancelled
        ) { () -> ArrivingImageState? in
            nil
        } receive: { response, _ -> ArrivingImageState? in
            try response.description { reader throws(NonsensicalAnswer) in try ArrivingImageState(from: &reader) }
        }
        if let state { return ConfinedReader(self, options, session, state) }
        guard let decoder = decoder as? any IncrementalDecoding else {
            throw CodecError.unsupported(format, reason: "it is decoded once all of it is there")
        }
        return try decoder.incrementalReader(for: beginning, options: options)
    }

    func embeddedThumbnail(
        in beginning: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage? {
        try call(.thumbnail(options), beginning, options.limits, isCancelled: isCancelled) {
            try (decoder as? any IncrementalDecoding)?.embeddedThumbnail(
                in: beginning,
                options: options,
                isCancelled: isCancelled
            )
        } receive: { response, format in
            response.result.width == 0 ? nil : try response.image(of: format, options, isolation)
        }
    }

    fileprivate func advance(
        _ bytes: Data,
        isEnd: Bool,
        options: DecodeOptions,
        _ session: WorkerSession,
        timeLimit: Duration,
        isCancelled: @Sendable () -> Bool
    ) throws -> ArrivingImageState {
        try call(
            .advance(image: session.number, isEnd: isEnd),
            bytes,
            options.limits,
            timeLimit: timeLimit,
            isCancelled: isCancelled,
            inProgram: Self.lost
        ) { response, _ in
            try response.description { reader throws(NonsensicalAnswer) in try ArrivingImageState(from: &reader) }
        }
    }

    fileprivate func partialImage(
        options: DecodeOptions,
        _ session: WorkerSession,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        try call(
            .partialImage(image: session.number),
            Data(),
            options.limits,
            isCancelled: isCancelled,
            inProgram: Self.lost
        ) { response, format in
            try response.image(of: format, options, isolation)
        }
    }

    /// What a worker has begun is not begun again in the program.
    private static func lost<Result>() throws -> Result {
        throw CodecError.isolation(.unavailable(reason: "the worker is gone"))
    }

    // MARK: Calls

    private func call<Result>(
        _ operation: DecodeCall.Operation,
        _ data: Data,
        _ limits: DecodeLimits,
        timeLimit: Duration = Self.timeLimit,
        isCancelled: () -> Bool,
        inProgram: () throws -> Result,
        receive: (WorkerResponse, ImageFormat) throws -> Result
    ) throws -> Result {
        do {
            if let files = decoder as? any FileReadingDecoder, let file = files.file {
                return try file.withFile(in: data) { descriptor, byteCount, format in
                    let request = self.request(files.decoder(of: format), operation, limits, timeLimit)
                    return try isolation.pool.perform(
                        request,
                        .file(descriptor: descriptor, byteCount: byteCount),
                        isCancelled: isCancelled,
                        receive: { try receive($0, format) }
                    )
                }
            }
            let request = self.request(decoder, operation, limits, timeLimit)
            return try data.withUnsafeBytes { bytes in
                try isolation.pool.perform(request, .bytes(bytes), isCancelled: isCancelled) {
                    try receive($0, decoder.format)
                }
            }
        } catch let error as IsolationError {
            try isolation.decodeInProgram(format, because: error)
        } catch CodecError.isolation(let error) {
            try isolation.decodeInProgram(format, because: error)
        }
        return try inProgram()
    }

    private func request(
        _ decoder: any ImageDecoder,
        _ operation: DecodeCall.Operation,
        _ limits: DecodeLimits,
        _ timeLimit: Duration
    ) -> WorkerRequest {
        var request = WorkerRequest(
            kind: DecoderConfinement.of(decoder).kind,
            parameters: DecodeCall(decoder, operation).record,
            scope: isolation.scope,
            required: isolation.required,
            format: decoder.format.name,
            file: isolation.file
        )
        request.name = DecodeCall.name(of: decoder)
        request.session = operation.number
        switch operation {
        case .frame(let index, _, _): request.frame = index
        case .advance, .partialImage: request.sendsAll = true
        default: break
        }
        request.timeLimit = timeLimit
        let memory = min(max(0, limits.memory), Self.largestMemory)
        request.largestByteCount = memory + WorkerAnswer.largestDescription
        request.memory = memory + Self.additionalMemory
        if confinement.kind == .drawings { request.processorTimeLimit = Self.drawingTimeLimit }
        request.failure = { [format = decoder.format] payload throws(NonsensicalAnswer) in
            try CodecError(record: payload, of: format)
        }
        return request
    }
}

/// A place in an animation that a worker has open, or opens again after it was ended.
private struct ConfinedCursor: FrameCursor {
    let decoder: ConfinedDecoder
    let data: Data
    let options: DecodeOptions
    let session: WorkerSession
    let info: ImageInfo?
    private(set) var colorProfile: ColorProfile?
    private(set) var frameInfo: ImageInfo?
    private(set) var isPartial = false

    init(decoder: ConfinedDecoder, data: Data, options: DecodeOptions, session: WorkerSession, info: ImageInfo?) {
        self.decoder = decoder
        self.data = data
        self.options = options
        self.session = session
        self.info = info
    }

    mutating func bitmap(ofFrame index: Int, isCancelled: @Sendable () -> Bool) throws -> Bitmap {
        let (bitmap, description) = try decoder.frame(
            index,
            of: data,
            options: options,
            session,
            isCancelled: isCancelled
        )
        colorProfile = description.colorProfile
        frameInfo = description.info
        isPartial = description.isPartial
        return bitmap
    }
}

/// An image that a worker reads while its bytes arrive. It has those that were sent; the others wait here.
private final class ConfinedReader: IncrementalReading {
    private let decoder: ConfinedDecoder
    private let options: DecodeOptions
    private let session: WorkerSession
    private var state: ArrivingImageState
    private var pending = Data()
    private var isEnded = false
    /// The time that is left for the bytes that were sent.
    private var timeLeft = ConfinedDecoder.timeLimit

    init(_ decoder: ConfinedDecoder, _ options: DecodeOptions, _ session: WorkerSession, _ state: ArrivingImageState) {
        self.decoder = decoder
        self.options = options
        self.session = session
        self.state = state
    }

    var progress: IncrementalProgress { state.progress }

    var matchesWholeDecoding: Bool { state.matchesWholeDecoding }

    func append(_ bytes: Data) {
        pending.append(bytes)
    }

    func end() {
        isEnded = true
    }

    func advance(isCancelled: @Sendable () -> Bool) throws -> Bool {
        let bytes = pending
        pending = Data()
        if !bytes.isEmpty { timeLeft = ConfinedDecoder.timeLimit }
        let start = ContinuousClock.now
        defer { timeLeft -= ContinuousClock.now - start }
        state = try decoder.advance(
            bytes,
            isEnd: isEnded,
            options: options,
            session,
            timeLimit: timeLeft,
            isCancelled: isCancelled
        )
        return state.hasMore
    }

    func image(isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        try decoder.partialImage(options: options, session, isCancelled: isCancelled)
    }
}
