internal import Glibc

/// The descriptors of the standard input, output and error.
enum StandardDescriptors {
    /// Opens those that are closed, as a program may be started with: otherwise a file of the program gets the number, and
    /// the messages. Writing to one fails as to a closed one, so that results which nobody gets are an error.
    static func open() {
        // The lowest free number is taken, which is the closed one where those below it are open.
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            _ = Glibc.open("/dev/null", O_RDONLY)
        }
    }
}
