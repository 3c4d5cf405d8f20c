/// Loads with the options of the views of GTK, without a window.
struct ViewsSuite: BenchmarkSuite {
    static let name = "views"
    static let summary = "a grid of large photographs that opens from disk, with the options of views"

    let cases: [any BenchmarkCase] = [GridOpeningCase()]

    init(_ options: SuiteOptions) {}
}
