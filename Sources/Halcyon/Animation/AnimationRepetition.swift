/// The number of times that a player plays an animation.
public enum AnimationRepetition: Sendable, Hashable {
    /// Once.
    case once
    /// This many times, at least once.
    case times(Int)
    /// As often as the file says, which may be without end.
    case asInFile
    /// Without end.
    case forever

    /// Returns the number of loops; `nil` for without end.
    ///
    /// - Parameter fileCount: The number that the file says, 0 for without end.
    func loopCount(ofFile fileCount: Int) -> Int? {
        switch self {
        case .once: 1
        case .times(let count): max(1, count)
        case .asInFile: fileCount > 0 ? fileCount : nil
        case .forever: nil
        }
    }
}
