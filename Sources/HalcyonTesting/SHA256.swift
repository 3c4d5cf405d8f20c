package import HalcyonSystem

/// SHA-256, to compare pixels with the hashes of collections.
package typealias SHA256 = HalcyonSystem.SHA256
