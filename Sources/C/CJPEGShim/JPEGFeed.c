#include "JPEGFeed.h"

#include "JPEGErrors.h"

#include <stdlib.h>
#include <string.h>

static void feed_init(j_decompress_ptr info) { (void)info; }

// The decoder may look ahead past a last byte that it does not need. An end marker lets it go on; it complains itself
// (JWRN_HIT_MARKER) if it does need more.
static boolean feed_fill(j_decompress_ptr info) {
    static const JOCTET end_of_image[2] = {0xff, JPEG_EOI};
    JPEGFeed *feed = (JPEGFeed *)info->src;
    if (!feed->is_ended) {
        return FALSE;
    }
    ((JPEGErrors *)info->err)->has_reached_end = true;
    feed->manager.next_input_byte = end_of_image;
    feed->manager.bytes_in_buffer = sizeof end_of_image;
    return TRUE;
}

static void feed_skip(j_decompress_ptr info, long count) {
    JPEGFeed *feed = (JPEGFeed *)info->src;
    if (count <= 0) {
        return;
    }
    const size_t present = feed->manager.bytes_in_buffer;
    const size_t skipped = (size_t)count < present ? (size_t)count : present;
    feed->manager.next_input_byte += skipped;
    feed->manager.bytes_in_buffer -= skipped;
    feed->skipped += (size_t)count - skipped;
}

static void feed_end(j_decompress_ptr info) { (void)info; }

void jpeg_feed_init(JPEGFeed *feed) {
    feed->manager.init_source = feed_init;
    feed->manager.fill_input_buffer = feed_fill;
    feed->manager.skip_input_data = feed_skip;
    feed->manager.resync_to_restart = jpeg_resync_to_restart;
    feed->manager.term_source = feed_end;
}

void jpeg_feed_destroy(JPEGFeed *feed) { free(feed->bytes); }

void jpeg_feed_borrow(JPEGFeed *feed, const uint8_t *bytes, size_t count) {
    feed->manager.next_input_byte = bytes;
    feed->manager.bytes_in_buffer = count;
    feed->is_ended = true;
}

void jpeg_feed_cut(JPEGFeed *feed) {
    feed->manager.bytes_in_buffer = 0;
    feed->is_ended = true;
}

bool jpeg_feed_append(JPEGFeed *feed, const uint8_t *bytes, size_t count) {
    if (feed->is_ended) {
        // The decoder may be reading the end marker, which is no part of `bytes`.
        return true;
    }
    const size_t skipped = count < feed->skipped ? count : feed->skipped;
    feed->skipped -= skipped;
    bytes += skipped;
    count -= skipped;
    if (count == 0) {
        return true;
    }
    const size_t kept = feed->manager.bytes_in_buffer;
    const size_t start = feed->bytes == NULL ? 0 : (size_t)(feed->manager.next_input_byte - feed->bytes);
    size_t place = start;
    if (feed->capacity - start - kept < count) {
        if (count > SIZE_MAX / 4 - kept) {
            return false;
        }
        // Moved to the front only where at least as many bytes have been read.
        if (start >= kept && start > 0) {
            memmove(feed->bytes, feed->bytes + start, kept);
            place = 0;
        }
        if (feed->capacity - place - kept < count) {
            const size_t capacity = 2 * (place + kept + count);
            uint8_t *larger = realloc(feed->bytes, capacity);
            if (larger == NULL) {
                feed->manager.next_input_byte = feed->bytes == NULL ? NULL : feed->bytes + place;
                return false;
            }
            feed->bytes = larger;
            feed->capacity = capacity;
        }
    }
    memcpy(feed->bytes + place + kept, bytes, count);
    feed->manager.next_input_byte = feed->bytes + place;
    feed->manager.bytes_in_buffer = kept + count;
    return true;
}
