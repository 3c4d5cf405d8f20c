internal import CReferences
internal import HalcyonRaster

/// The libraries that the work on colours is measured against. Those that are not there are named once and left out.
final class ColorLibraries {
    private let python: String
    private var vipsIsLoaded: Bool?
    private var notes: Set<String> = []

    init(_ options: SuiteOptions) {
        python = options.python
    }

    /// The contenders that can do the work.
    func contenders(_ work: ColorWork, _ image: [UInt8], under other: [UInt8], _ size: PixelSize) -> [Contender] {
        var contenders: [Contender] = []
        if loadVips(), let operation = work.vips(image, under: other, size) {
            if operation() == 0 {
                contenders.append(
                    Contender("libvips") { repetitions in
                        for _ in 0..<repetitions { blackHole(operation()) }
                    }
                )
            } else {
                note("libvips refuses \(work.name)")
            }
        }
        if let pillow = pillow(work, size) { contenders.append(pillow) }
        return contenders
    }

    private func loadVips() -> Bool {
        if let vipsIsLoaded { return vipsIsLoaded }
        let failure = halcyon_vips_colors_load("libvips.so.42")
        if let failure { note("without libvips: \(String(cString: failure))") }
        vipsIsLoaded = failure == nil
        return failure == nil
    }

    private func pillow(_ work: ColorWork, _ size: PixelSize) -> Contender? {
        do {
            let words = ["-c", PillowColors.source, work.rawValue, "\(size.width)", "\(size.height)"]
            let process = try LineProcess(python, words)
            let answer = try process.answer()
            guard answer.hasPrefix("ready ") else { throw BenchmarkError(answer) }
            return Contender(String(answer.dropFirst("ready ".count))) { repetitions in
                _ = try process.ask("\(repetitions)")
            }
        } catch {
            note("\(work.name): without Pillow: \(error)")
            return nil
        }
    }

    private func note(_ text: String) {
        guard notes.insert(text).inserted else { return }
        StandardStream.error.writeLine("halcyon-bench: \(text)")
    }
}
