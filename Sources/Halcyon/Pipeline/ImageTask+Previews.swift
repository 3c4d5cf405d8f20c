extension ImageTask {
    /// The previews of the image: the best one so far first, then each better one; the sequence ends with the task.
    ///
    /// A slow reader gets the best at the moment it asks, never a worse one after a better one, and none once the image is
    /// there. Any number of readers may read at any time. Without ``ImageOptions/previews`` and
    /// ``ImageOptions/progressive`` the sequence is empty.
    ///
    /// ```swift
    /// let task = pipeline.task(for: url, options: [.previews([.blurHash(hash), .url(small)])])
    /// for await preview in task.previews { show(preview.image) }
    /// show(try await task.image)
    /// ```
    public var previews: AsyncStream<ImagePreview> {
        previewFeed?.stream ?? AsyncStream(unfolding: { nil })
    }

    /// The best preview so far; `nil` if there is none, or the task has ended.
    public var preview: ImagePreview? { previewFeed?.best }
}
