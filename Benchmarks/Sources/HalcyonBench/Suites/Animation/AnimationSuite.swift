/// Players of animations.
struct AnimationSuite: BenchmarkSuite {
    static let name = "animation"
    static let summary = "220 players of animations of 60 frames, within one budget of memory"

    let cases: [any BenchmarkCase] = [PlayersCase()]

    init(_ options: SuiteOptions) {}
}
