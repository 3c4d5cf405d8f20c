import FoundationEssentials
import HTTPTypes
import HalcyonStore
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

@Suite("a long body")
struct BodyFileTests {
    private static let body = pattern(6 << 20)

    private func load(
        _ response: OriginServer.Response,
        threshold: Int = 1 << 20,
        folder: ScratchFolder,
        fileSystem: any FileSystem = POSIXFileSystem()
    ) async throws -> HTTPResponseBody {
        try await withServer { _ in
            response
        } _: { server, transport in
            var configuration = BodyLoader.Configuration()
            configuration.memoryThreshold = threshold
            configuration.temporaryFolder = folder.path
            configuration.fileSystem = fileSystem
            return try await BodyLoader(transport: transport, configuration: configuration)
                .load(TransferRequest.patient(url: server.url()))
        }
    }

    @Test("goes to a file without a name, which is mapped and closed in the end", arguments: [true, false])
    func stream(isLengthKnown: Bool) async throws {
        let folder = try ScratchFolder()
        let counter = FaultInjectingFileSystem(.error(.inputOutput), atCall: .max, of: [.write])
        let maps = FaultInjectingFileSystem(.error(.inputOutput), atCall: .max, of: [.map], base: counter)
        let body = try await load(
            isLengthKnown ? .init(body: Self.body) : .chunked(chunks: [Self.body]),
            folder: folder,
            fileSystem: maps
        )
        #expect(firstDifference(body.data, Self.body) == nil)
        #expect(counter.callCount > 0, "it was written to a file")
        #expect(folder.files.isEmpty)
        #expect(folder.openFiles().isEmpty)
        #expect(maps.callCount == 1)
    }

    @Test("up to the threshold stays in memory", arguments: [true, false])
    func memory(isLengthKnown: Bool) async throws {
        let folder = try ScratchFolder()
        let counter = FaultInjectingFileSystem(.error(.inputOutput), atCall: .max)
        let body = try await load(
            isLengthKnown ? .init(body: Self.body) : .chunked(chunks: [Self.body]),
            threshold: Self.body.count,
            folder: folder,
            fileSystem: counter
        )
        #expect(firstDifference(body.data, Self.body) == nil)
        #expect(counter.callCount == 0)
    }

    @Test("loses its name at once where the file system has no nameless files")
    func named() async throws {
        let folder = try ScratchFolder()
        let fileSystem = FaultInjectingFileSystem(.errorFromNowOn(.notSupported), atCall: 1, of: [.createUnnamed])
        let body = try await load(.init(body: Self.body), folder: folder, fileSystem: fileSystem)
        #expect(fileSystem.hasFired)
        #expect(firstDifference(body.data, Self.body) == nil)
        #expect(folder.files.isEmpty && folder.openFiles().isEmpty)
    }

    @Test(
        "arrives whole whatever call to the file system fails, by way of memory, and leaves nothing behind",
        arguments: [
            FaultInjectingFileSystem.Fault.error(.noSpace), .errorFromNowOn(.noSpace), .errorFromNowOn(.inputOutput),
            .error(.tooManyOpenFiles), .halfDone, .errorFromNowOn(.notFound),
        ]
    )
    func faults(fault: FaultInjectingFileSystem.Fault) async throws {
        let folder = try ScratchFolder()
        var number = 1
        while true {
            let fileSystem = FaultInjectingFileSystem(fault, atCall: number)
            let body = try await load(.init(body: Self.body), folder: folder, fileSystem: fileSystem)
            #expect(firstDifference(body.data, Self.body) == nil, "call \(number), \(fileSystem.firedAt as Any)")
            #expect(folder.files.isEmpty && folder.openFiles().isEmpty)
            guard fileSystem.hasFired, number < 12 else { break }
            number += 1
        }
        #expect(number > 3, "the file, its writes and its map have failed")
    }

    @Test("that can neither be written on nor read back fails with a typed error")
    func lost() async throws {
        let folder = try ScratchFolder()
        let readFails = FaultInjectingFileSystem(.errorFromNowOn(.inputOutput), atCall: 1, of: [.read])
        let bothFail = FaultInjectingFileSystem(.errorFromNowOn(.noSpace), atCall: 2, of: [.write], base: readFails)
        let error = await #expect(throws: TransferError.self) {
            try await load(.init(body: Self.body), folder: folder, fileSystem: bothFail)
        }
        #expect(error == .temporaryFileFailed(FileSystemError.inputOutput.description))
        #expect(error?.code == "temporaryFileFailed")
        #expect(folder.files.isEmpty && folder.openFiles().isEmpty)
    }

    @Test("that is cut off leaves no file", arguments: [OriginServer.Response.Step.reset, .close])
    func interrupted(end: OriginServer.Response.Step) async throws {
        let folder = try ScratchFolder()
        let half = Array(Self.body.prefix(Self.body.count / 2))
        await #expect(throws: TransferError.self) {
            try await load(
                .scripted(headers: [.contentLength: "\(Self.body.count)"], .bytes(half), end),
                folder: folder
            )
        }
        #expect(folder.files.isEmpty && folder.openFiles().isEmpty)
    }

    @Test("beyond the limit ends, with its length known or not", arguments: [true, false])
    func limit(isLengthKnown: Bool) async throws {
        let folder = try ScratchFolder()
        let response: OriginServer.Response =
            isLengthKnown ? .init(body: Self.body) : .chunked(chunks: [Self.body])
        try await withServer { _ in
            response
        } _: { server, transport in
            var configuration = BodyLoader.Configuration()
            configuration.memoryThreshold = 1 << 20
            configuration.temporaryFolder = folder.path
            var request = TransferRequest.patient(url: server.url())
            request.limits.bodyBytes = Self.body.count - 1
            let loader = BodyLoader(transport: transport, configuration: configuration)
            await #expect(throws: TransferError.bodyTooLarge(maximum: Self.body.count - 1)) {
                try await loader.load(request)
            }
        }
        #expect(folder.files.isEmpty && folder.openFiles().isEmpty)
    }
}
