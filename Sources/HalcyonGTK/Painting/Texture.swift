internal import CGTK
internal import Halcyon

/// Pixels that GTK can draw: a `GdkTexture` over the memory of a bitmap, which is not copied.
///
/// The memory is held for as long as the texture is, and never changes.
@MainActor
enum Texture {
    /// Holds the pixels that a texture refers to.
    private final class Owner {
        let bitmap: Bitmap

        init(_ bitmap: Bitmap) {
            self.bitmap = bitmap
        }
    }

    /// Returns the texture of the pixels of a bitmap, the same for as long as it exists.
    static func make(_ bitmap: Bitmap) -> ObjectReference {
        TextureTable.texture(of: bitmap) { makeNew(bitmap) }
    }

    // Not isolated, as the memory may be released on any thread.
    private nonisolated static func makeNew(_ bitmap: Bitmap) -> ObjectReference {
        let owner = Owner(bitmap)
        // The buffer belongs to the bitmap, does not move, and is not written to while the owner shares it.
        let bytes = owner.bitmap.withUnsafeBytes { pixels in
            g_bytes_new_with_free_func(
                pixels.baseAddress,
                gsize(pixels.count),
                { Unmanaged<Owner>.fromOpaque(nonnull($0)).release() },
                Unmanaged.passRetained(owner).toOpaque()
            )
        }
        defer { g_bytes_unref(bytes) }
        let texture = gdk_memory_texture_new(
            Int32(bitmap.width),
            Int32(bitmap.height),
            format(of: bitmap),
            bytes,
            gsize(bitmap.bytesPerRow)
        )
        return ObjectReference(adopting: UnsafeMutableRawPointer(nonnull(texture)))
    }

    private nonisolated static func format(of bitmap: Bitmap) -> GdkMemoryFormat {
        switch bitmap.depth {
        case .eight: GDK_MEMORY_R8G8B8A8_PREMULTIPLIED
        case .sixteen: GDK_MEMORY_R16G16B16A16_PREMULTIPLIED
        }
    }
}
