/// The progress of one attempt to get the bytes of a load.
///
/// A load makes one attempt after the other: again after a failure, and with another source. Reports come from several
/// threads, and may overtake each other; what receives them takes a report only if it is newer than the last one.
struct ProgressReport: Sendable {
    /// The number of the source, in the order in which the load tries them.
    var source = 0
    /// The number of the attempt, in the order in which the load makes them.
    var attempt: UInt64 = 0
    var progress = ImageProgress()

    /// Returns whether this report follows another one: it is of a later source or attempt, or of more bytes.
    func isNewer(than other: ProgressReport) -> Bool {
        (source, attempt, progress.receivedBytes) > (other.source, other.attempt, other.progress.receivedBytes)
    }
}
