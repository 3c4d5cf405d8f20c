internal import FoundationEssentials
internal import Halcyon
internal import HalcyonIsolation
internal import HalcyonRaster

/// One image after the other, decoded, and scaled where a size is asked for, by a worker and in the program: the time until it is
/// there, and the processor time of both processes.
struct IsolatedDecodeCase: BenchmarkCase {
    private static let sampleTime = 100e6

    let name: String
    private let size: PixelSize
    private let format: ImageFormat
    private let side: Int?
    private let budget: Double?
    private let mostAddedMicroseconds: Double?

    /// - Parameters:
    ///   - side: The pixels of the square into which it is to fit. Default: `nil`, its own size.
    ///   - budget: The highest ratio of processor time that the design allows. Default: none.
    ///   - mostAddedMicroseconds: The longest time by which the design allows it to come later. Default: none.
    init(
        _ name: String,
        _ size: PixelSize,
        as format: ImageFormat,
        side: Int? = nil,
        budget: Double? = nil,
        mostAddedMicroseconds: Double? = nil
    ) {
        self.name = name
        self.size = size
        self.format = format
        self.side = side
        self.budget = budget
        self.mostAddedMicroseconds = mostAddedMicroseconds
    }

    func results(_ settings: RunSettings) async throws -> [BenchmarkResult] {
        let file = try ImageCodecs.standard.encode(
            SyntheticImage.photograph(size),
            as: format,
            options: EncodeOptions(quality: 85)
        )
        let confined = loader(.required([.process, .systemCalls]))
        let program = loader(.none)
        // The first starts the worker.
        _ = try await Self.cost(1, confined, file)
        let once = try await Self.cost(1, confined, file)
        let count = max(1, Int(Self.sampleTime / once.wall))
        var (ours, reference) = ([TimeSample](), [TimeSample]())
        _ = try await (Self.cost(count, confined, file), Self.cost(count, program, file))
        for _ in 0..<settings.samples {
            ours.append(try await Self.cost(count, confined, file))
            reference.append(try await Self.cost(count, program, file))
        }
        func row(_ title: String, _ time: (TimeSample) -> Double, _ budget: Double? = nil) -> BenchmarkResult {
            .pairs(title, ours.map(time), "in the program", reference.map(time), unit: "µs", budget: budget)
        }
        var rows = [row(name) { $0.wall / 1e3 }, row("\(name), CPU", { $0.processor / 1e3 }, budget)]
        if let mostAddedMicroseconds {
            let added = zip(ours, reference).map { ($0.wall - $1.wall) / 1e3 }
            rows.append(.limit("\(name), added", Distribution(added), mostAddedMicroseconds, unit: "µs"))
        }
        return rows
    }

    /// Makes an image of a file.
    private typealias Loader = (Data) async throws -> Void

    /// What decodes an image; with a side, what makes one of that size, which a pipeline does.
    private func loader(_ isolation: DecodeIsolation) -> Loader {
        guard let side else {
            let codecs = ImageCodecs.standard.isolated(isolation)
            return { blackHole(try codecs.decode($0).bitmap) }
        }
        let pipeline = ImagePipeline(
            configuration: .init(
                defaultOptions: [
                    .processor(.resize(to: .pixels(side, side))), .isolation(isolation), .noCache,
                ]
            )
        )
        return { blackHole(try await pipeline.response(for: ImageRequest(.data($0))).image.bitmap) }
    }

    /// What one of so many takes, with the processor time of the workers.
    private static func cost(_ count: Int, _ load: Loader, _ file: Data) async throws -> TimeSample {
        // Finding the processes takes longer than a small image.
        let processor = Descendants.processorTime
        let wall = TimeSample.monotonic
        for _ in 0..<count { try await load(file) }
        let wallEnd = TimeSample.monotonic
        return TimeSample(wall: wallEnd - wall, processor: Descendants.processorTime - processor) / Double(count)
    }
}
