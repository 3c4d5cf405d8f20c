internal import FoundationEssentials
package import HalcyonSystem

extension BodyLoader {
    /// The places in which bodies are gathered.
    package struct Configuration: Sendable {
        /// The length in bytes up to which bodies are gathered in memory; longer ones are gathered in a file, which is
        /// mapped in the end. Default: 4 MiB.
        package var memoryThreshold = 4 << 20
        /// The time after which shorter bodies are gathered in a file, too, if ``partialBodies`` can keep them, so that a
        /// process that is killed loses no more of them. Default: 1 s.
        package var memoryTime = Duration.seconds(1)
        /// The folder in which longer bodies are written, in files without a name. If it is full or cannot be written
        /// to, they are gathered in memory all the same. Default: the system's temporary folder (`$TMPDIR`, or `/tmp`).
        package var temporaryFolder = FileManager.default.temporaryDirectory.path
        /// The store of interrupted bodies, which lets later transfers continue them. Default: `nil`, which
        /// lets every transfer begin at the beginning.
        package var partialBodies: PartialBodyStore?
        /// The calls to the file system for the temporary folder. Default: the machine's.
        package var fileSystem: any FileSystem = POSIXFileSystem()

        package init() {}
    }
}
