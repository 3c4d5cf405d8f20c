import CIsolation
import FoundationEssentials
import Glibc
import HalcyonRaster

@testable import HalcyonCodecs
@testable import HalcyonIsolation

/// The two directions of the protocol between a program and its workers.
enum WorkerTarget: String, CaseIterable, Sendable {
    /// An answer, as the program reads it.
    case answer = "worker-answer"
    /// A request with its file, as a worker reads it.
    case request = "worker-request"

    func run(_ data: Data) {
        do {
            switch self {
            case .answer: try readAnswer(Array(data))
            case .request: try performRequest(Array(data))
            }
        } catch is NonsensicalAnswer {
            // The process that sent it is ended.
        } catch is CodecError {
        } catch is WorkerFailure {
        } catch is WorkerOutputRefusal {
        } catch is BitmapError {
        } catch {
            fatalError("an error of another type: \(error)")
        }
    }

    // MARK: Answers

    private static let identifier: UInt64 = 3

    /// The bytes in an input before those of the record: how it is read, and how many bytes follow its header.
    private static let answerPrefixCount = 3

    /// Both ends of one socket, made once. Unchecked: libFuzzer has one thread.
    private nonisolated(unsafe) static let ends = try? RecordSocket.pair()

    private func readAnswer(_ bytes: [UInt8]) throws {
        let headerCount = MemoryLayout<HalcyonRecord>.size
        guard bytes.count >= Self.answerPrefixCount + headerCount, let (worker, program) = Self.ends else { return }
        let reading = bytes[0]
        let payloadCount = min(
            Int(bytes[1]) << 8 | Int(bytes[2]),
            min(bytes.count - Self.answerPrefixCount - headerCount, Int(HALCYON_RECORD_PAYLOAD_CAPACITY))
        )
        var packet = Array(bytes[Self.answerPrefixCount..<Self.answerPrefixCount + headerCount + payloadCount])
        // Most inputs get past the first look, which a few are enough for.
        if reading & 0x80 == 0 {
            packet.withUnsafeMutableBytes { bytes in
                var header = bytes.loadUnaligned(as: HalcyonRecord.self)
                header.magic = HALCYON_RECORD_MAGIC
                header.payload_count = UInt32(payloadCount)
                header.identifier = Self.identifier
                bytes.storeBytes(of: header, as: HalcyonRecord.self)
            }
        }
        let sent = packet.withUnsafeBytes { send(worker.descriptor, $0.baseAddress, $0.count, 0) }
        precondition(sent == packet.count, "a packet that was not sent")
        guard case .record(let record, let descriptors) = program.receive(waits: false) else { return }
        precondition(descriptors.isEmpty, "descriptors that nobody sent")
        // Exactly these bytes, so that AddressSanitizer sees every access beyond them.
        let content = Array(bytes[(Self.answerPrefixCount + packet.count)...])
        let request = WorkerRequest(kind: .stills, largestByteCount: 1 << 20, format: "PNG")
        let answer = try WorkerAnswer(
            record,
            to: request,
            identifier: Self.identifier,
            bufferByteCount: content.count
        )
        switch answer {
        case .failure(let payload): _ = try CodecError(record: payload, of: .png)
        case .result(let result): try content.withUnsafeBytes { try read(result, $0, reading) }
        case .needsBuffer(let byteCount): precondition(byteCount > content.count)
        case .cancelled, .trapped: break
        }
    }

    private func read(_ result: WorkerResult, _ buffer: UnsafeRawBufferPointer, _ reading: UInt8) throws {
        let pixelByteCount = result.bytesPerRow * result.height
        let response = WorkerResponse(
            result: result,
            pixels: UnsafeRawBufferPointer(rebasing: buffer[..<pixelByteCount]),
            description: Array(buffer[pixelByteCount..<pixelByteCount + result.descriptionByteCount]),
            report: IsolationReport(HalcyonConfinementResult())
        )
        let limits = FuzzTarget.limits
        let isolation = WorkerIsolation(reading & 1 == 0 ? .preferred : .required(.process))
        let options = DecodeOptions(color: reading & 2 == 0 ? .sRGB : .asStored, limits: limits)
        switch reading >> 2 & 7 {
        case 0:
            _ = try response.description { reader throws(NonsensicalAnswer) in
                try ImageInfo(from: &reader, of: .png, limits: limits)
            }
        case 1:
            let metadata = try response.description { reader throws(NonsensicalAnswer) in
                try ImageMetadata(from: &reader)
            }
            _ = metadata.exif.map { EXIF.orientation(in: $0) }
        case 2:
            _ = try response.description { reader throws(NonsensicalAnswer) in try ArrivingImageState(from: &reader) }
        case 3:
            _ = try response.bitmap(of: .png, options, isolation)
        default:
            try use(try response.image(of: .png, options, isolation))
        }
    }

    /// Does with an image what programs do: its samples are the worker's, and may be any.
    private func use(_ image: DecodedImage) throws {
        precondition(image.bitmap.size.area <= FuzzTarget.limits.pixelCount, "more pixels than the limit")
        let shown = try image.converted(.sRGB)
        for format in [ImageFormat.png, .jpeg, .webp, .gif] {
            do {
                _ = try ImageCodecs.standard.encode(shown.bitmap, as: format)
            } catch {
                // More than the format can have.
                _ = "\(error)"
            }
        }
    }

    // MARK: Requests

    /// The first two bytes say how long the request is; the file is behind it.
    private func performRequest(_ bytes: [UInt8]) throws {
        guard bytes.count >= 2 else { return }
        let count = min(Int(bytes[0]) << 8 | Int(bytes[1]), bytes.count - 2)
        let parameters = Array(bytes[2..<2 + count])
        let call = try DecodeCall(record: parameters)
        let again = try DecodeCall(record: call.record)
        precondition(again.record == call.record, "a request that is not read as it was written")
        guard call.operation.isBounded else { return }
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 24, alignment: 64)
        let flag = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
        flag.initialize(to: 0)
        defer {
            output.deallocate()
            flag.deallocate()
        }
        let file = Array(bytes[(2 + count)...])
        try file.withUnsafeBytes { input in
            let task = WorkerTask(
                Record(.request, payload: parameters),
                input: input,
                cancellation: CancellationByte(flag),
                kept: WorkerTask.KeptValue(),
                lentOutput: UnsafeMutableRawBufferPointer(start: nil, count: 0)
            ) { byteCount in
                guard byteCount <= output.count else { throw WorkerOutputRefusal(byteCount: byteCount) }
                return UnsafeMutableRawBufferPointer(rebasing: output[..<byteCount])
            }
            let result = try DecodingService(.standard).perform(task)
            precondition(result.bytesPerRow * result.height + result.descriptionByteCount <= output.count)
        }
    }

    /// Returns the requests of all kinds for a file.
    static func requestSeeds(_ file: Data) -> [Data] {
        let options = DecodeOptions(limits: FuzzTarget.limits)
        let operations: [DecodeCall.Operation] = [
            .info(FuzzTarget.limits), .metadata, .image(options), .wholeImage(options), .open(options, animation: 1),
            .frame(0, options, animation: 1), .begin(options, image: 1), .advance(image: 1, isEnd: true),
            .partialImage(image: 1), .thumbnail(options),
        ]
        return operations.map { operation in
            let request = DecodeCall(PNGDecoder(), operation).record
            return Data([UInt8(request.count >> 8), UInt8(request.count & 255)] + request) + file
        }
    }

    /// Returns answers of all kinds: with what is said of a header and of an image, and with an error.
    static func answerSeeds(_ file: Data) throws -> [Data] {
        let image = try ImageCodecs.standard.decode(file)
        var header = RecordWriter()
        image.info.write(to: &header)
        var metadata = RecordWriter()
        try ImageCodecs.standard.metadata(of: file).write(to: &metadata)
        var state = RecordWriter()
        ArrivingImageState().write(to: &state)
        var description = RecordWriter()
        BitmapDescription(
            isOpaque: image.bitmap.isOpaque,
            isPartial: false,
            colorProfile: image.colorProfile,
            info: image.info,
            fullSize: image.fullSize
        ).write(to: &description)
        let error = CodecError.limitExceeded(.png, .sideLength(PixelSize(9, 9), maximum: 8))
        return [
            answer(reading: 0, header.bytes), answer(reading: 1 << 2, metadata.bytes),
            answer(reading: 2 << 2, state.bytes), answer(reading: 3 << 2, description.bytes, image.bitmap),
            answer(reading: 4 << 2, description.bytes, image.bitmap),
            answer(.failure, payload: error.record), answer(.cancelled),
        ]
    }

    private static func answer(
        _ kind: Record.Kind = .response,
        reading: UInt8 = 0,
        _ description: [UInt8] = [],
        _ bitmap: Bitmap? = nil,
        payload: [UInt8] = []
    ) -> Data {
        var header = HalcyonRecord()
        header.kind = kind.rawValue
        header.capacity = UInt64(description.count)
        if let bitmap {
            header.width = UInt32(bitmap.width)
            header.height = UInt32(bitmap.height)
            header.bytes_per_row = UInt32(bitmap.bytesPerRow)
            header.bytes_per_pixel = UInt32(bitmap.bytesPerPixel)
            header.byte_count = UInt64(bitmap.byteCount)
        }
        let pixels = bitmap?.withUnsafeBytes { Array($0) } ?? []
        return Data([reading, UInt8(payload.count >> 8), UInt8(payload.count & 255)])
            + withUnsafeBytes(of: header) { Data($0) } + Data(payload + pixels + description)
    }
}

extension DecodeCall.Operation {
    /// Whether its limits are no higher than those of the other targets: a worker is asked by its own program, and keeps to
    /// what that allows.
    fileprivate var isBounded: Bool {
        let limits: DecodeLimits
        switch self {
        case .info(let own): limits = own
        case .image(let options), .wholeImage(let options), .open(let options, _), .frame(_, let options, _),
            .begin(let options, _), .thumbnail(let options):
            limits = options.limits
        case .metadata, .advance, .partialImage: return true
        }
        let most = FuzzTarget.limits
        return limits.pixelCount <= most.pixelCount && limits.sideLength <= most.sideLength
            && limits.frameCount <= most.frameCount && limits.memory <= most.memory
    }
}
