/// What processors do to pixels, on one thread and on two with an image each.
struct ProcessorsSuite: BenchmarkSuite {
    static let name = "processors"
    static let summary = "image processors: time and memory"

    let cases: [any BenchmarkCase]

    init(_ options: SuiteOptions) {
        cases = FilterCases.cases(PixelContenders(options))
    }
}
