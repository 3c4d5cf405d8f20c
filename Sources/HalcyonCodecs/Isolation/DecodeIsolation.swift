/// Where untrusted images are decoded: in the program, or in confined processes of their own, whose faults are errors.
///
/// A decoder reads what strangers wrote, and libraries of formats have had faults by which a file ended the program, took
/// its memory, or ran code of its author. A worker is a process that does nothing else than decode: it has limits of memory
/// and time, opens no files and makes no connections, as far as the system offers that (``IsolationSet``).
///
/// Programs name the process by `HalcyonWorker.runIfAsked(codecs:)` as the first line of `main`, or have `halcyon-decoder`
/// beside their executable.
public enum DecodeIsolation: Sendable, Hashable {
    /// Images are decoded in the program. Drawings (SVG) are drawn in a worker all the same where there is one, as for
    /// ``preferred``: their library ends a program on some files, and cannot be cancelled.
    case none
    /// What libraries decode is decoded in a worker: all formats but PNG, GIF, BMP, ICO and QOI, whose decoders are
    /// Swift. Where no worker can be started, it is decoded in the program. Once one has started, it is not, whatever a file
    /// does to it.
    case preferred
    /// Every format, its metadata and its colour profile are read in a worker that has this protection at least. Where
    /// there is none, decoding throws ``CodecError/isolation(_:)``.
    case required(IsolationSet)
}
