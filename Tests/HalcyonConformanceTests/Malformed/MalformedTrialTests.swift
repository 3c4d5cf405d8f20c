import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@testable import HalcyonConformance
@testable import HalcyonIsolation

@Suite("Damaged files")
struct MalformedTrialTests {
    private static func image(_ format: ImageFormat) throws -> Data {
        var bitmap = try Bitmap(size: PixelSize(40, 30), isOpaque: true)
        bitmap.withUnsafeMutableBytes { bytes in
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index &* 31 | 1) }
        }
        return try ImageCodecs.core.encode(bitmap, as: format)
    }

    @Test("are the same for the same seed, and others for others")
    func seeds() throws {
        let file = try Self.image(.png)
        let mutants = (1...40 as ClosedRange<UInt64>).map { seed in
            var mutation = FileMutation(seed: seed)
            return mutation.mutant(of: file)
        }
        for (seed, mutant) in zip(1...40 as ClosedRange<UInt64>, mutants) {
            var mutation = FileMutation(seed: seed)
            #expect(mutation.mutant(of: file) == mutant)
        }
        #expect(Set(mutants).count > 30)
        #expect(mutants.filter { $0 == file }.count < 4)
    }

    @Test("each give an image or an error")
    func answers() throws {
        let path = try #require(HalcyonWorker.program(), "halcyon-decoder is not beside the tests")
        var configuration = WorkerPool.Configuration()
        configuration.program = { path }
        let trial = MalformedTrial(configuration: configuration)
        var count = 0
        for format: ImageFormat in [.png, .jpeg, .webp] {
            let file = try Self.image(format)
            for seed: UInt64 in 1...12 {
                var mutation = FileMutation(seed: seed)
                let data = seed == 1 ? file : mutation.mutant(of: file)
                trial.run(.init(number: count, name: "\(format), seed \(seed)", data: data), timeout: 30_000) { _ in }
                count += 1
            }
        }
        #expect(trial.lines == [])
        #expect(!trial.hasFailed)
        let answers = trial.totals.compactMap { total -> (kind: String, count: Int)? in
            let words = total.split(separator: " ", maxSplits: 1)
            return Int(words[0]).map { (String(words[1]), $0) }
        }
        let images = answers.filter { $0.kind.hasPrefix("images") }
        #expect(images.reduce(0) { $0 + $1.count } == count)
        #expect(images.contains { $0.kind == "images" && $0.count >= 3 })
        #expect(images.contains { $0.kind == "images: refused" })
        trial.finish()
    }
}
