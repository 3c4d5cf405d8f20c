internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonIsolation
internal import HalcyonRaster

/// One image after the other, decoded by a worker and in the program: the time until it is there, and the processor time of
/// both processes.
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

    func results(_ settings: RunSettings) throws -> [BenchmarkResult] {
        let file = try ImageCodecs.standard.encode(
            SyntheticImage.photograph(size),
            as: format,
            options: EncodeOptions(quality: 85)
        )
        var options = DecodeOptions()
        options.targetSize = side.map { size.fitting(in: PixelSize($0, $0)) }
        let confined = ImageCodecs.standard.isolated(.required([.process, .systemCalls]))
        // The first starts the worker.
        _ = try Self.cost(1, confined, file, options)
        let once = try Self.cost(1, confined, file, options)
        let count = max(1, Int(Self.sampleTime / once.wall))
        var (ours, reference) = ([TimeSample](), [TimeSample]())
        _ = try (Self.cost(count, confined, file, options), Self.cost(count, .standard, file, options))
        for _ in 0..<settings.samples {
            ours.append(try Self.cost(count, confined, file, options))
            reference.append(try Self.cost(count, .standard, file, options))
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

    /// What one of so many takes, with the processor time of the workers.
    private static func cost(
        _ count: Int,
        _ codecs: ImageCodecs,
        _ file: Data,
        _ options: DecodeOptions
    ) throws -> TimeSample {
        // Finding the processes takes longer than a small image.
        let processor = Descendants.processorTime
        let wall = TimeSample.monotonic
        for _ in 0..<count {
            blackHole(try codecs.decode(file, options: options).bitmap)
        }
        let wallEnd = TimeSample.monotonic
        return TimeSample(wall: wallEnd - wall, processor: Descendants.processorTime - processor) / Double(count)
    }
}
