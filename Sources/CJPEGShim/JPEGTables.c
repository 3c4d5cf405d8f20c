#include "JPEGTables.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    // The longest code that a table can have (T.81, B.2.4.2).
    LONGEST_CODE = 16,
    // A symbol that stands for the code of ones alone, which no symbol may have (T.81, annex C).
    RESERVED = 256,
    SYMBOL_COUNT = 257,
    // The weight of the rarest symbol that has a code, beside 1 for one without.
    RAREST_WEIGHT = 8,
};

// Whether a block of 8-bit samples can have a symbol: for a DC difference of up to 11 bits, or for a run of zeros and an AC
// coefficient of up to 10 bits (T.81, F.1.2).
static bool is_possible(int symbol, bool is_dc) {
    if (is_dc) {
        return symbol <= 11;
    }
    int size = symbol & 15;
    return symbol == 0x00 || symbol == 0xf0 || (size >= 1 && size <= 10);
}

// Weighs symbols by the lengths of their codes: each bit less is twice as often.
static void weigh(const JHUFF_TBL *table, bool is_dc, uint32_t weights[SYMBOL_COUNT]) {
    memset(weights, 0, SYMBOL_COUNT * sizeof weights[0]);
    for (int symbol = 0; symbol < 256; symbol++) {
        weights[symbol] = is_possible(symbol, is_dc);
    }
    const UINT8 *symbols = table->huffval;
    for (int length = 1; length <= LONGEST_CODE; length++) {
        for (int i = 0; i < table->bits[length]; i++) {
            weights[*symbols++] = (uint32_t)RAREST_WEIGHT << (LONGEST_CODE - length);
        }
    }
    weights[RESERVED] = 1;
}

// Counts the bits of each symbol's code, after Huffman: the two lightest trees become one, until one is left.
static void measure(uint32_t weights[SYMBOL_COUNT], uint8_t lengths[SYMBOL_COUNT]) {
    int tree_of[SYMBOL_COUNT];
    memset(lengths, 0, SYMBOL_COUNT);
    for (int symbol = 0; symbol < SYMBOL_COUNT; symbol++) {
        tree_of[symbol] = symbol;
    }
    for (;;) {
        int lightest = -1;
        int second = -1;
        // Of equal weights the later symbol is taken first, so that the reserved one has the longest code.
        for (int tree = SYMBOL_COUNT - 1; tree >= 0; tree--) {
            if (weights[tree] == 0) {
                continue;
            }
            if (lightest < 0 || weights[tree] < weights[lightest]) {
                second = lightest;
                lightest = tree;
            } else if (second < 0 || weights[tree] < weights[second]) {
                second = tree;
            }
        }
        if (second < 0) {
            return;
        }
        weights[second] += weights[lightest];
        weights[lightest] = 0;
        for (int symbol = 0; symbol < SYMBOL_COUNT; symbol++) {
            if (tree_of[symbol] == lightest || tree_of[symbol] == second) {
                tree_of[symbol] = second;
                lengths[symbol]++;
            }
        }
    }
}

// Shortens codes of more bits than a table can have (T.81, figure K.3): of two of the longest codes one takes the place of
// their prefix, and the other shares that of a shorter code.
static void limit(int counts[SYMBOL_COUNT]) {
    for (int length = SYMBOL_COUNT - 1; length > LONGEST_CODE; length--) {
        while (counts[length] > 0) {
            int shorter = length - 2;
            while (counts[shorter] == 0) {
                shorter--;
            }
            counts[length] -= 2;
            counts[length - 1]++;
            counts[shorter + 1] += 2;
            counts[shorter]--;
        }
    }
}

static void fill(JHUFF_TBL *table, const JHUFF_TBL *sample, bool is_dc) {
    uint32_t weights[SYMBOL_COUNT];
    uint8_t lengths[SYMBOL_COUNT];
    int counts[SYMBOL_COUNT] = {0};
    weigh(sample, is_dc, weights);
    measure(weights, lengths);
    for (int symbol = 0; symbol < SYMBOL_COUNT; symbol++) {
        counts[lengths[symbol]]++;
    }
    counts[0] = 0;
    limit(counts);
    int longest = LONGEST_CODE;
    while (counts[longest] == 0) {
        longest--;
    }
    counts[longest]--;
    memset(table, 0, sizeof *table);
    for (int length = 1; length <= LONGEST_CODE; length++) {
        table->bits[length] = (UINT8)counts[length];
    }
    UINT8 *next = table->huffval;
    for (int length = 1; length < SYMBOL_COUNT; length++) {
        for (int symbol = 0; symbol < RESERVED; symbol++) {
            if (lengths[symbol] == length) {
                *next++ = (UINT8)symbol;
            }
        }
    }
}

void jpeg_tables_adopt(struct jpeg_compress_struct *target, const struct jpeg_compress_struct *sample) {
    for (int index = 0; index < NUM_HUFF_TBLS; index++) {
        const JHUFF_TBL *dc = sample->dc_huff_tbl_ptrs[index];
        const JHUFF_TBL *ac = sample->ac_huff_tbl_ptrs[index];
        if (dc != NULL && target->dc_huff_tbl_ptrs[index] != NULL) {
            fill(target->dc_huff_tbl_ptrs[index], dc, true);
        }
        if (ac != NULL && target->ac_huff_tbl_ptrs[index] != NULL) {
            fill(target->ac_huff_tbl_ptrs[index], ac, false);
        }
    }
}
