// The bits of entropy-coded data (T.81 F.2.2.5), out of a window that holds them without stuffed zeros.
//
// Nothing is checked bit by bit. Before each unit of blocks that could reach the end of the window, it is filled again:
// that sees to it that more bytes follow than the largest unit can take, zeros behind the last ones, and finds out
// whether the units before took more than there were.

#ifndef HALCYON_JPEG_BITS_H
#define HALCYON_JPEG_BITS_H

#include <string.h>

#include <ProcessorClones.h>
#include "huffman.h"

enum {
    // Blocks of one unit (T.81 B.2.3).
    GREATEST_BLOCK_COUNT = 10,
    // A block has at most 64 symbols, each of at most 16 bits with at most 11 behind them: 216 bytes. What a read takes
    // ahead is in the rest.
    GREATEST_UNIT_BYTE_COUNT = GREATEST_BLOCK_COUNT * 216 + 64,
    WINDOW_BYTE_COUNT = 16 << 10,
};

typedef struct BitWindow {
    // Behind the last byte that was taken, in the file.
    const uint8_t *source;
    const uint8_t *source_end;
    // The marker that ended the segment, or 0 while it goes on.
    int marker;
    // Bytes in the window.
    size_t count;
    uint8_t bytes[WINDOW_BYTE_COUNT + GREATEST_UNIT_BYTE_COUNT];
} BitWindow;

typedef struct BitReader {
    const uint8_t *next;
    // From here on, a unit could reach the end of the window.
    const uint8_t *limit;
    // The next bits, aligned to the left.
    uint64_t bits;
    // How many of them there are; behind them are bits that will come again.
    int32_t count;
} BitReader;

// Begins with the data at `source`, up to the next marker.
void bits_start(BitReader *reader, BitWindow *window, const uint8_t *source, const uint8_t *source_end);

// Fills the window, for the caller to do once `next` has reached `limit`; false where the bits taken already are more
// than there were.
bool bits_refill_window(BitReader *reader, BitWindow *window);

// Whether all data up to the marker have been taken but the bits that fill the last byte.
bool bits_are_used_up(BitReader *reader, BitWindow *window);

// At least 56 bits are there afterwards.
ALWAYS_INLINE void bits_fill(BitReader *reader) {
    uint64_t word;
    memcpy(&word, reader->next, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    reader->bits |= word >> reader->count;
    reader->next += (63 - reader->count) >> 3;
    reader->count |= 56;
}

ALWAYS_INLINE uint32_t bits_peek(const BitReader *reader, int count) { return (uint32_t)(reader->bits >> (64 - count)); }

ALWAYS_INLINE void bits_drop(BitReader *reader, uint32_t count) {
    reader->bits <<= count;
    reader->count -= (int32_t)count;
}

// A symbol bit by bit, for codes too long for the tables; -1 where there is no such code. Takes at most 16 bits.
ALWAYS_INLINE int bits_symbol(BitReader *reader, const HuffmanTable *table) {
    const uint32_t code = bits_peek(reader, 16);
    for (int length = 1; length <= 16; length++) {
        if (code < table->limits[length]) {
            bits_drop(reader, (uint32_t)length);
            return table->symbols[(int32_t)(code >> (16 - length)) + table->offsets[length]];
        }
    }
    return -1;
}

// A value of 0 to 11 bits; those below half of their range are negative (T.81 F.2.2.1).
ALWAYS_INLINE int32_t bits_value(BitReader *reader, int category) {
    if (category == 0) {
        return 0;
    }
    const int32_t value = (int32_t)bits_peek(reader, category);
    bits_drop(reader, (uint32_t)category);
    return value < 1 << (category - 1) ? value - (1 << category) + 1 : value;
}

#endif
