#ifndef HALCYON_JPEG_HUFFMAN_H
#define HALCYON_JPEG_HUFFMAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    // Bits that look up one symbol and its value.
    VALUE_BITS = 10,
    // Bits that look up as many symbols as fit: 16 KB a table, so that those of two components stay in the first cache.
    SKIP_BITS = 13,
    // What the advance of an entry of `values` is at the end of a block.
    VALUE_END_OF_BLOCK = 64,
    // What is added to the advance of an entry of `skips` at the end of a block.
    SKIP_END_OF_BLOCK = 128,
    // The advance of an entry of `skips` whose bits hold no whole symbol.
    SKIP_NOTHING = 255,
    // Longest value behind a code in 8-bit images (T.81 tables F.1 and F.2): 11 bits of DC differences, 10 of AC.
    GREATEST_CATEGORY = 11,
};

typedef struct HuffmanTable {
    bool is_set;
    // By the next VALUE_BITS bits: 0 where they hold no whole symbol with its value, otherwise the bits it takes (bits
    // 0 to 7), by how much it advances the index of the coefficient (8 to 15), and its value (16 to 31, signed).
    uint32_t values[1 << VALUE_BITS];
    // AC only, by the next SKIP_BITS bits: the bits that all their whole symbols take (0 to 3), and their advance (8 to
    // 15).
    uint16_t skips[1 << SKIP_BITS];
    // By length: the code behind the last one of this length, aligned to the left of 16 bits, and what to add to a code
    // of this length to get the index of its symbol.
    uint32_t limits[17];
    int32_t offsets[17];
    uint8_t symbols[256];
} HuffmanTable;

// False for an impossible code (T.81 C.2) and for symbols that 8-bit images do not have.
bool huffman_table_set(
    HuffmanTable *table, bool is_ac, const uint8_t *counts, const uint8_t *symbols, size_t symbol_count);

#endif
