extension Program {
    /// The steps up to a barrier, by lanes.
    struct Group: Sendable {
        var lanes: [[Step]]
        var barrier: Step?
    }

    var groups: [Group] {
        var groups: [Group] = []
        var lanes: [Int: [Step]] = [:]
        func close(_ barrier: Step?) {
            groups.append(Group(lanes: lanes.sorted { $0.key < $1.key }.map(\.value), barrier: barrier))
            lanes = [:]
        }
        for line in lines {
            if line.step.isBarrier { close(line.step) } else { lanes[line.lane, default: []].append(line.step) }
        }
        close(nil)
        return groups
    }
}
