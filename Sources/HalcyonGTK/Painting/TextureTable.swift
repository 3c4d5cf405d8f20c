internal import CGTK
internal import Glibc
internal import Halcyon

/// The textures that exist, by the pixels that they refer to: widgets that show the same pixels share one texture, so
/// that these are uploaded to the graphics processor once.
///
/// The table keeps no texture; an entry vanishes with its texture.
@MainActor
enum TextureTable {
    /// The identity of pixels. While a texture of a buffer exists, no other buffer has its identity.
    private struct Key: Hashable {
        let buffer: ObjectIdentifier
        let width: Int
        let height: Int
        let depth: SampleDepth
    }

    private final class Entry: Sendable {
        let key: Key
        let texture: WeakObjectReference

        init(_ key: Key, _ texture: ObjectReference) {
            self.key = key
            self.texture = WeakObjectReference(texture.pointer)
        }
    }

    private static var entries: [Key: Entry] = [:]

    /// The number of textures that exist.
    static var count: Int { entries.count }

    /// Returns the texture of the pixels of a bitmap; makes it if there is none.
    static func texture(of bitmap: Bitmap, make: () -> ObjectReference) -> ObjectReference {
        let key = Key(
            buffer: ObjectIdentifier(bitmap.buffer),
            width: bitmap.width,
            height: bitmap.height,
            depth: bitmap.depth
        )
        if let texture = entries[key]?.texture.object { return texture }
        let texture = make()
        let entry = Entry(key, texture)
        entries[key] = entry
        follow(texture, entry)
        return texture
    }

    /// Removes an entry when its texture ends, on any thread.
    private nonisolated static func follow(_ texture: ObjectReference, _ entry: Entry) {
        g_object_weak_ref(
            texture.pointer.object,
            { data, _ in
                let entry = Unmanaged<Entry>.fromOpaque(nonnull(data)).takeRetainedValue()
                // A renderer may drop the last reference on a thread of its own.
                if getpid() == cgtk_thread_id() {
                    MainActor.assumeIsolated { TextureTable.remove(entry) }
                } else {
                    Task { @MainActor in TextureTable.remove(entry) }
                }
            },
            Unmanaged.passRetained(entry).toOpaque()
        )
    }

    private static func remove(_ entry: Entry) {
        // Another buffer may have got the identity meanwhile.
        if entries[entry.key] === entry { entries[entry.key] = nil }
    }
}
