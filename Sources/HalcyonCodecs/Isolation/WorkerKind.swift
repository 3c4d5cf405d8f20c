/// The kinds of workers, which differ in the system calls that they may make.
package enum WorkerKind: Int32, Sendable, Hashable, CaseIterable {
    /// Decodes on one thread, without files.
    case stills = 0
    /// Decodes with libraries that start threads, such as those of HEIC and AVIF, without files.
    case stillsWithThreads = 1
    /// Draws, and reads the fonts of the system.
    case drawings = 2
    /// Decodes videos on one thread, without files but the one that is passed.
    case videos = 3
}
