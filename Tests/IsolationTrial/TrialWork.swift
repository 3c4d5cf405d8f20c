/// The work of the trial's workers beside that of decoders, which has the number 0: stand-ins for decoders, for what goes wrong
/// in them, and for code that took one over.
package enum TrialWork: Int, Sendable, CaseIterable {
    // MARK: Decoders

    /// Answers with pixels of the size asked for; the bytes of each are the remainder of the input's sum.
    case paint = 1
    /// Answers with the parameters.
    case echo
    /// Fails in the words of its parameters.
    case fail
    /// Works until it is cancelled.
    case workUntilCancelled
    /// Answers with the number that a thread gave.
    case startThread
    /// Answers with its process identifier.
    case identify
    /// Answers with its process identifier, and works on.
    case workAfterwards

    /// Answers with the number of bytes of the input.
    case count

    // MARK: Faults

    /// A crash, but in a worker that has served nothing before.
    case abortIfUsed
    /// As `loop`, but in a worker that has served nothing before.
    case loopIfUsed
    case writeToNull
    case abort
    case trap
    case exit
    /// Never answers, and never looks whether it is cancelled.
    case loop
    /// As `loop`, without taking processor time.
    case wait
    /// As `wait`, in a worker of the process that the parameters name; answers with `on` in another.
    case waitOnce
    /// Takes memory until there is none, and answers with the number of megabytes.
    case takeMemory
    /// Maps memory that is only read until there is none, and answers with the number of gigabytes, at most 64.
    case takeAddresses
    /// Starts threads until there are a thousand, and waits.
    case startThreads
    /// Asks for a larger buffer and keeps the one before; where it has one, answers with its first byte.
    case keepBuffer
    /// Answers with the limit of the stack that the process had from which workers are forked, and with its own limits, which
    /// only a process that may make all system calls is told.
    case stackLimits

    // MARK: Answers without sense

    case answerWithBytes
    case answerOtherRequest
    case answerHugeImage
    case answerShortRows
    case answerWithoutPixels
    case answerWithDescriptor
    case answerWithGreeting
    case askForSmallerBuffer

    // MARK: Attacks, whose answer is the number of the error: 0 for one that succeeded

    case openFile
    case createFile
    case openFont
    /// Asks for the size of a file that it may not open.
    case statFile
    case connect
    case connectTCP
    case fork
    case execute
    case signalParent
    case makeMemoryExecutable
    case traceParent
    case readParent
    case openProcess
    case raiseLimit
    case writeInput
    case useIOUring
    case unshare
}
