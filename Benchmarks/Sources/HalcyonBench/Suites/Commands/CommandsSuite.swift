/// Whole programs: what a run of the command costs from its start to its end.
struct CommandsSuite: BenchmarkSuite {
    static let name = "commands"
    static let summary = "whole runs of the command: 500 and 10,000 images from a server to files, and its start"

    let cases: [any BenchmarkCase]
    private let images: ImageOrigin

    init(_ options: SuiteOptions) {
        let images = ImageOrigin()
        let programs = CommandPrograms(options)
        self.images = images
        cases = [
            ImagesToFilesCase(usesCache: false, images: images, programs: programs),
            ImagesToFilesCase(usesCache: true, images: images, programs: programs),
            OriginalsToFilesCase(usesCache: false, programs: programs),
            OriginalsToFilesCase(usesCache: true, programs: programs),
            CommandStartCase(programs: programs),
            LoadBurstCase(),
        ]
    }

    func start() throws {
        try images.start()
    }

    func stop() {
        images.stop()
    }
}
