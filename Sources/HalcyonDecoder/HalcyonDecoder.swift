internal import Glibc
internal import HalcyonFormats
internal import HalcyonIsolation

/// The program `halcyon-decoder`: decodes images for programs beside it that do not decode themselves.
@main
struct HalcyonDecoder {
    static func main() {
        ImageCodecs.register(.all)
        HalcyonWorker.runIfAsked()
        let text = "halcyon-decoder is started by programs that decode images, and does nothing by itself.\n"
        _ = write(STDERR_FILENO, text, text.utf8.count)
        exit(64)
    }
}
