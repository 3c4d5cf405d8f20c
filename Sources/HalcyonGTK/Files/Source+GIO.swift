internal import CGTK
internal import FoundationEssentials
internal import Glibc
public import Halcyon
internal import HalcyonSystem

extension Source {
    /// The image in a file of GIO: a resource of the program (`resource:///…`), a file on a server that the desktop has
    /// mounted, or one of a scheme or type that the program has made.
    ///
    /// A file with a path is read by that, and again when it changes (``file(_:cacheKey:)``). The bytes of a resource are
    /// in the program: they are taken at the call, and the image is kept in memory only (``data(_:cacheKey:)``), because
    /// another program, or another version of this one, has another image of the same name. Any other file is taken for
    /// unchanged while a cache has the image: one that may change needs another cache key then. It is read off the main
    /// thread.
    ///
    /// - Parameters:
    ///   - file: A `GFile *`, to which a reference is added.
    ///   - cacheKey: The name of the image in caches. Default: the path, or the URI of the file.
    public static func gioFile(_ file: UnsafeMutableRawPointer, cacheKey: String? = nil) -> Source {
        if g_file_is_native(file.opaque) != 0, let path = g_file_get_path(file.opaque) {
            defer { g_free(path) }
            let bytes = Array(UnsafeRawBufferPointer(start: path, count: Int(strlen(path))))
            return .file(pathBytes: bytes, cacheKey: cacheKey)
        }
        let key = cacheKey ?? takeString(g_file_get_uri(file.opaque))
        if g_file_has_uri_scheme(file.opaque, "resource") != 0 { return resource(file, cacheKey: key) }
        return .provider(GIOFileProvider(cacheKey: key, file: GIOObject(retaining: file)))
    }

    /// The image at any URI: one that Halcyon loads itself, or else one that GIO reads; see ``gioFile(_:cacheKey:)``.
    ///
    /// - Parameters:
    ///   - uri: Such as `resource:///org/example/cover.png`.
    ///   - cacheKey: The name of the image in caches. Default: derived from the URI.
    public static func gioFile(uri: String, cacheKey: String? = nil) -> Source {
        let scheme = uri.prefix { $0 != ":" }.lowercased()
        if ["http", "https", "data"].contains(scheme), let url = URL(string: uri) {
            return .url(url, cacheKey: cacheKey)
        }
        let file = UnsafeMutableRawPointer(nonnull(g_file_new_for_uri(uri)))
        defer { g_object_unref(file) }
        return gioFile(file, cacheKey: cacheKey)
    }

    /// The image in a resource of the program.
    private static func resource(_ file: UnsafeMutableRawPointer, cacheKey: String) -> Source {
        var failure: UnsafeMutablePointer<GError>?
        guard let bytes = g_file_load_bytes(file.opaque, nil, nil, &failure) else {
            let error = GIOError(failure)
            return .closure(cacheKey: cacheKey) { throw error }
        }
        return .data(Data(taking: bytes), cacheKey: cacheKey)
    }
}

extension Data {
    /// The bytes of a `GBytes *`, which are not copied. The reference to it is taken over.
    fileprivate init(taking bytes: OpaquePointer) {
        var count: gsize = 0
        guard let start = g_bytes_get_data(bytes, &count), count > 0 else {
            g_bytes_unref(bytes)
            self.init()
            return
        }
        // Never written to: a `Data` is copied before it is changed.
        let memory = UnsafeMutableRawPointer(mutating: start)
        self.init(bytesNoCopy: memory, count: Int(count), deallocator: .custom { _, _ in g_bytes_unref(bytes) })
    }
}

/// A reference to an object of GIO that any thread may use and give up.
///
/// Unchecked: the count is atomic, and the pointer never changes.
private final class GIOObject: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer

    init(adopting pointer: UnsafeMutableRawPointer) {
        self.pointer = pointer
    }

    convenience init(retaining pointer: UnsafeMutableRawPointer) {
        self.init(adopting: g_object_ref(pointer))
    }

    deinit {
        g_object_unref(pointer)
    }
}

/// Why GIO could not read a file.
private struct GIOError: Error, CustomStringConvertible {
    let description: String

    /// Takes over an error of GLib.
    init(_ error: UnsafeMutablePointer<GError>?) {
        description = error?.pointee.message.map { String(cString: $0) } ?? "GIO cannot read the file"
        if let error { g_error_free(error) }
    }
}

/// The bytes of a file that has no path.
private struct GIOFileProvider: StreamingImageDataProvider {
    let cacheKey: String
    let file: GIOObject

    /// GIO's functions wait for servers, each on a thread of its own.
    private static let queue = WorkQueue(name: "halcyon.gio", width: 4)
    private static let pieceByteCount = 64 << 10

    func chunks() async throws -> AsyncThrowingStream<Data, any Error> {
        let cancellable = GIOObject(adopting: UnsafeMutableRawPointer(nonnull(g_cancellable_new())))
        let file = file
        let stream = try await Self.run(cancellable) {
            var error: UnsafeMutablePointer<GError>?
            guard let stream = g_file_read(file.pointer.opaque, cancellable.pointer.cancellable, &error) else {
                throw GIOError(error)
            }
            return GIOObject(adopting: UnsafeMutableRawPointer(stream))
        }
        return AsyncThrowingStream {
            try await Self.run(cancellable) {
                var error: UnsafeMutablePointer<GError>?
                let input = stream.pointer.assumingMemoryBound(to: GInputStream.self)
                let piece = g_input_stream_read_bytes(
                    input,
                    gsize(Self.pieceByteCount),
                    cancellable.pointer.cancellable,
                    &error
                )
                guard let piece else { throw GIOError(error) }
                defer { g_bytes_unref(piece) }
                var count: gsize = 0
                let bytes = g_bytes_get_data(piece, &count)
                return bytes.flatMap { count > 0 ? Data(bytes: $0, count: Int(count)) : nil }
            }
        }
    }

    private static func run<Result: Sendable>(
        _ cancellable: GIOObject,
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withTaskCancellationHandler {
            try await queue.run(priority: PriorityBox(.normal)) { _ in try body() }
        } onCancel: {
            g_cancellable_cancel(cancellable.pointer.cancellable)
        }
    }
}

extension UnsafeMutableRawPointer {
    fileprivate var cancellable: UnsafeMutablePointer<GCancellable> { assumingMemoryBound(to: GCancellable.self) }
}
