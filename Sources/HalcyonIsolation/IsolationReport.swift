internal import CIsolation
internal import Glibc
internal import HalcyonCodecs

extension IsolationReport {
    /// The report of a worker that has confined itself.
    init(_ result: HalcyonConfinementResult) {
        var reached: IsolationSet = []
        var reasons: [String] = []
        func add(_ kind: IsolationSet, _ step: Int, _ error: Int32) {
            if Int(result.reached) & step == step {
                reached.insert(kind)
            } else {
                reasons.append("\(kind): \(error == 0 ? "not tried" : systemErrorText(error))")
            }
        }
        let isLimited = Int32(HALCYON_ISOLATION_LIMITS | HALCYON_ISOLATION_NO_NEW_PRIVILEGES)
        add(.process, Int(isLimited), result.limits_error != 0 ? result.limits_error : result.privileges_error)
        add(.files, Int(HALCYON_ISOLATION_FILES), result.files_error)
        add(.systemCalls, Int(HALCYON_ISOLATION_SYSTEM_CALLS), result.system_calls_error)
        self.init(reached: reached, landlockVersion: Int(result.landlock_version), reasons: reasons)
    }
}

/// The system's text for an error number.
func systemErrorText(_ number: Int32) -> String {
    String(cString: strerror(number))
}

extension IsolationSet {
    /// The steps of a worker that belong to the kinds.
    var steps: UInt32 {
        var steps = 0
        if contains(.process) { steps |= Int(HALCYON_ISOLATION_LIMITS) }
        if contains(.files) { steps |= Int(HALCYON_ISOLATION_FILES) }
        if contains(.systemCalls) { steps |= Int(HALCYON_ISOLATION_SYSTEM_CALLS) }
        return UInt32(steps)
    }
}
