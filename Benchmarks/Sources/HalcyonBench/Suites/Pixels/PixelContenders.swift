internal import Glibc

/// Who takes part in the suite, and starts them for a case. Those that are not there are named once and left out.
final class PixelContenders {
    private let options: SuiteOptions
    private var madeInputs: PixelInputs?
    private var notes: Set<String> = []

    init(_ options: SuiteOptions) {
        self.options = options
    }

    /// The images, which are made when the first case needs them.
    func inputs() throws -> PixelInputs {
        if let madeInputs { return madeInputs }
        let inputs = try PixelInputs(photo: options.photo)
        madeInputs = inputs
        return inputs
    }

    /// Says something once.
    func note(_ text: String) {
        guard notes.insert(text).inserted else { return }
        StandardStream.error.writeLine("halcyon-bench: \(text)")
    }

    /// Ours, then the others that can do the work.
    func start(
        _ work: PixelWork,
        _ input: PixelInput,
        threadCount: Int,
        _ budgets: PixelCase.Budgets,
        for name: String
    ) -> [(process: PixelProcess, budget: Double?)] {
        let words = input.words + work.words
        let launches: [(PixelProcess.Launch, Double?)] =
            [
                (own("Halcyon", "halcyon", threadCount, words), nil),
                (own(libraryName(work, input), "library", threadCount, words), budgets.library),
                (vips("libvips.so.42", threadCount, words), budgets.debianVips),
            ] + (options.vipsLibrary.map { [(vips($0, threadCount, words), budgets.newestVips)] } ?? []) + [
                (pillow(threadCount, words), budgets.pillow)
            ]
        var started: [(process: PixelProcess, budget: Double?)] = []
        for (index, (launch, budget)) in launches.enumerated() {
            do {
                started.append((try PixelProcess(launch, threadCount: threadCount), budget))
            } catch {
                note("\(name): without \(launch.name): \(error)")
                // Without ours there is nothing to compare.
                if index == 0 { return [] }
            }
        }
        return started
    }

    /// Ours as built for debugging, and as released.
    func startBuilds(_ debugProgram: String, _ work: PixelWork, _ input: PixelInput) throws -> [PixelProcess] {
        let words = input.words + work.words
        return try [("debug build", debugProgram), ("release build", "/proc/self/exe")].map { name, program in
            try PixelProcess(own(name, "halcyon", 1, words, program: program), threadCount: 1)
        }
    }

    private func own(
        _ name: String,
        _ contender: String,
        _ threadCount: Int,
        _ words: [String],
        program: String = "/proc/self/exe",
        library: String = ""
    ) -> PixelProcess.Launch {
        let arguments = [
            "pixel-contender", "--contender", contender, "--library", library, "--threads", "\(threadCount)",
        ]
        return .init(name: name, program: program, arguments: arguments + words, tellsItsName: contender == "vips")
    }

    private func vips(_ path: String, _ threadCount: Int, _ words: [String]) -> PixelProcess.Launch {
        own("libvips (\(path))", "vips", threadCount, words, library: path)
    }

    private func pillow(_ threadCount: Int, _ words: [String]) -> PixelProcess.Launch {
        .init(
            name: "Pillow (\(options.python))",
            program: options.python,
            arguments: ["-c", PillowProgram.source, "\(threadCount)"] + words,
            tellsItsName: true
        )
    }

    private func libraryName(_ work: PixelWork, _ input: PixelInput) -> String {
        let names = ["jpeg": "libjpeg-turbo", "png": "libpng", "gif": "giflib", "webp": "libwebp", "avif": "libavif"]
        switch work {
        case .thumbnail where input.format == .jpeg: return "libjpeg-turbo's reduced decoding alone"
        case .thumbnail: return "libwebp with its own scaler"
        case .decode, .frames: return names[input.format.rawValue] ?? "a C library"
        case .geometry: return "a C library"
        case .resize: return "textbook Lanczos-3 in C, 32-bit float"
        case .filter: return "a C library"
        case .encode(let format, _): return names[format.rawValue] ?? "a C library"
        }
    }
}
