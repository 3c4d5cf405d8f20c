/// Changes of an image's pixels, as processors make them.
struct ProcessorsSuite: BenchmarkSuite {
    static let name = "processors"
    static let summary = "changes of pixels: colours and blend modes, beside one pass over memory"

    let cases: [any BenchmarkCase]

    init(_ options: SuiteOptions) {
        let libraries = ColorLibraries(options)
        cases = ColorWork.allCases.map { ColorProcessorCase(work: $0, libraries: libraries) }
    }
}
