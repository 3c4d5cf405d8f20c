/// Workloads that belong together and share what they need.
protocol BenchmarkSuite {
    /// What the command line calls it.
    static var name: String { get }
    /// One line for the list.
    static var summary: String { get }

    /// The cases. Making them costs nothing and needs nothing to be started.
    var cases: [any BenchmarkCase] { get }

    init(_ options: SuiteOptions)

    /// Starts what the cases share. Default: nothing.
    func start() throws
    /// Ends what ``start()`` began, also where that failed. Default: nothing.
    func stop()
}

extension BenchmarkSuite {
    func start() throws {}
    func stop() {}
}

/// What the command line says about the work.
struct SuiteOptions {
    /// Transfers in one sample of the `http` suite.
    let transferCount: Int
    /// URLs that the `pipeline` suite prefetches from a server.
    let prefetchCount: Int
    /// The program of the package in `Benchmarks/AsyncHTTPClient`; without it, its rows are left out.
    let asyncHTTPClient: String?
    /// Entries of the large cache of the `disk` suite.
    let entryCount: Int
    /// Where that cache is kept from one run to the next; without it, it is made anew and removed.
    let entriesFolder: String?
    /// A further libvips for the `pixels` suite, beside the system's.
    let vipsLibrary: String?
    /// The Python whose Pillow the `pixels` suite measures.
    let python: String
    /// A `halcyon-bench` built for debugging; without it, the rows of debug builds are left out.
    let debugBuild: String?
    /// An image that the `pixels` suite takes its inputs from; without it, they are drawn.
    let photo: String?
    /// The command that the `commands` suite measures; without it, that of the same checkout's release build.
    let command: String?
}

/// Why a suite cannot run here, and what to do about it.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
