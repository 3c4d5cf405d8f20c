internal import HalcyonHTTP
internal import HalcyonSystem

/// A configuration of a downloader, with the parts that work by it. A transfer keeps the one under which it began.
final class DownloadSetup: Sendable {
    let configuration: ImageDownloader.Configuration
    let transport: any HTTPTransport
    /// The number of the rules by which answers come about, which no other rules of this process have.
    let generation: UInt64
    /// The number of the transport, which no other of this process has; `nil`: the first of the downloader.
    let transportNumber: UInt64?
    let bodies: BodyLoader
    /// The credentials of responders. Each transport has its own: a proxy that one of them uses must not be sent what was
    /// meant for another's.
    let answers: AuthenticationAnswers

    /// The first setup of a downloader.
    convenience init(_ configuration: ImageDownloader.Configuration, _ transport: any HTTPTransport) {
        self.init(configuration, transport, WorkNumber.next(), AuthenticationAnswers(), transportNumber: nil)
    }

    private init(
        _ configuration: ImageDownloader.Configuration,
        _ transport: any HTTPTransport,
        _ generation: UInt64,
        _ answers: AuthenticationAnswers,
        transportNumber: UInt64?
    ) {
        self.configuration = configuration.with(transportScope: transport.cacheScope)
        self.transport = transport
        self.generation = generation
        self.answers = answers
        self.transportNumber = transportNumber
        bodies = BodyLoader(transport: transport, configuration: configuration.bodies)
    }

    /// Returns the setup that takes the place of this one.
    ///
    /// It has the same generation, so that work is shared with transfers of this one, only where the answer cannot differ:
    /// with the same transport and an equal policy. Name, events, headers ignored for sharing, and the places of bodies
    /// change no answer.
    func replaced(
        by configuration: ImageDownloader.Configuration,
        _ transport: (any HTTPTransport)?
    ) -> DownloadSetup {
        let configuration = configuration.with(transportScope: (transport ?? self.transport).cacheScope)
        let isShared = transport == nil && configuration.policy == self.configuration.policy
        return DownloadSetup(
            configuration,
            transport ?? self.transport,
            isShared ? generation : WorkNumber.next(),
            transport == nil ? answers : AuthenticationAnswers(),
            transportNumber: transport == nil ? transportNumber : WorkNumber.next()
        )
    }
}

extension ImageDownloader.Configuration {
    /// Returns the configuration of a downloader whose transport has this scope.
    fileprivate func with(transportScope scope: String?) -> ImageDownloader.Configuration {
        var configuration = self
        configuration.policy.transportScope = scope
        return configuration
    }
}
