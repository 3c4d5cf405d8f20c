internal import Halcyon
internal import HalcyonSystem

/// An observer that checks that the events of each load make sense, and sums them up.
final class LoadRecorder: LoadObserving {
    private struct State {
        var events = LoadEvents()
        var sums = PipelineStatistics.Sums()
    }

    private let model: AnswerModel
    private let state = Lock(State())

    init(model: AnswerModel) {
        self.model = model
    }

    static func == (left: LoadRecorder, right: LoadRecorder) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }

    func observe(_ observation: LoadObservation) {
        let problem = state.withLock { state in
            if !observation.isShared { state.sums.count(observation.activity) }
            return state.events.problem(with: observation.activity, of: observation.load)
        }
        if let problem { model.report(.wrongEvents, "load \(observation.load) of \(observation.source): \(problem)") }
    }

    /// A Boolean value that indicates whether every load has ended.
    var isQuiet: Bool { state.withLock { $0.events.hasEnded } }

    /// The sums of the events that are not shared.
    var sums: PipelineStatistics.Sums { state.withLock { $0.sums } }
}
