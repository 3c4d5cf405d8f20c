internal import Dispatch
internal import HalcyonSystem

/// The places in which one body may be gathered.
struct BodyStorage: Sendable {
    /// The length in bytes above which bodies go to a file.
    var memoryThreshold: Int
    /// The time after its head from which a body goes to a file if it can be continued later, however short it is.
    var memoryTime = Duration.seconds(1)
    var temporaryFolder: String
    var fileSystem: any FileSystem
    /// The serial queue on which all calls to the file system are made.
    var queue: DispatchQueue
    /// The store, if an interrupted body is kept or continued.
    var resumption: Resumption?

    /// A storage without a file.
    static let memory = BodyStorage(
        memoryThreshold: .max,
        temporaryFolder: "",
        fileSystem: POSIXFileSystem(),
        queue: DispatchQueue(label: "halcyon.bodies")
    )

    struct Resumption: Sendable {
        var store: PartialBodyStore
        var key: PartialBodyKey
        /// The ``PartialBodyStore/removalCount`` when the transfer began.
        var removals: Int
        /// The kept part, whose rest is being requested.
        var held: PartialBody?
    }

    /// Returns a function that makes a file for a body, one that outlives an interruption if `partial` is given.
    func opener(keeping partial: PartialResponse?) -> @Sendable () throws(FileSystemError) -> any BodyFile {
        let storage = self
        return { () throws(FileSystemError) -> any BodyFile in
            if let partial, let resumption = storage.resumption,
                let body = resumption.store.begin(resumption.key, partial, since: resumption.removals)
            {
                return body
            }
            return try TemporaryBodyFile(inFolder: storage.temporaryFolder, storage.fileSystem)
        }
    }
}
