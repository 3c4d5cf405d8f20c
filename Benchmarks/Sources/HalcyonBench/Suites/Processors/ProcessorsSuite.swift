/// What processors do to pixels, on one thread and on two with an image each, and colours and blend modes beside one pass
/// over memory.
struct ProcessorsSuite: BenchmarkSuite {
    static let name = "processors"
    static let summary = "image processors: time and memory"

    let cases: [any BenchmarkCase]

    init(_ options: SuiteOptions) {
        let contenders = PixelContenders(options)
        let libraries = ColorLibraries(options)
        let colors = ColorWork.allCases.map { ColorProcessorCase(work: $0, libraries: libraries) }
        cases = FilterCases.cases(contenders) + GeometryCases.cases(contenders) + colors
    }
}
