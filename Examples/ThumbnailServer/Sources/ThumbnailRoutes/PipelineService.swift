public import Halcyon
public import ServiceLifecycle

/// An image pipeline as a service of a `ServiceGroup`: at a graceful shutdown it ends the downloads under way, and writes
/// to disk what waits for that.
///
/// It has to come before the server in the list of services: a group shuts its services down in the reverse order, so that
/// the server answers its last requests while the pipeline still loads.
public struct PipelineService: Service {
    private let pipeline: ImagePipeline

    /// A service for a pipeline.
    public init(_ pipeline: ImagePipeline) {
        self.pipeline = pipeline
    }

    /// Waits for the graceful shutdown.
    public func run() async throws {
        // Ends at the graceful shutdown, and as well when the task of the group is cancelled.
        try? await gracefulShutdown()
        pipeline.configuration.downloader.shutdown()
        await pipeline.cache.flush()
    }
}
