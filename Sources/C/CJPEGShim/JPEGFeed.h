#ifndef HALCYON_JPEG_FEED_H
#define HALCYON_JPEG_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

// A source of bytes that come one piece after the other. libjpeg suspends where they end, and goes back to the last
// marker or block that was whole; the bytes from there on are kept. The decompressor's error manager must be that of
// `JPEGErrors`. `manager` comes first, so that a pointer to it is one to the whole.
typedef struct JPEGFeed {
    struct jpeg_source_mgr manager;
    uint8_t *bytes;
    size_t capacity;
    // Bytes to leave out that have not come yet.
    size_t skipped;
    // Set once no more bytes come: the source then ends instead of suspending.
    bool is_ended;
} JPEGFeed;

void jpeg_feed_init(JPEGFeed *feed);
void jpeg_feed_destroy(JPEGFeed *feed);

// Gives a feed without bytes all of them. They are not copied; none can be appended.
void jpeg_feed_borrow(JPEGFeed *feed, const uint8_t *bytes, size_t count);

// Makes a feed end before the bytes that have not been read.
void jpeg_feed_cut(JPEGFeed *feed);

// Copies bytes; none once the feed has ended. Every byte is moved a bounded number of times, however few come at once. False where there is no memory.
bool jpeg_feed_append(JPEGFeed *feed, const uint8_t *bytes, size_t count);

#endif
