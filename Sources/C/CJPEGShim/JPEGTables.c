#include "JPEGTables.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    // The longest code that a table can have (T.81, B.2.4.2).
    LONGEST_CODE = 16,
    SYMBOL_COUNT = 256,
    // The reserved symbol stands for the code of ones alone, which no symbol may have (T.81, annex C).
    LEAF_COUNT = SYMBOL_COUNT + 1,
    // What is seen in a part of the image counts so many times as much as what photographs have in general, which keeps
    // the codes good of what that part has little of.
    SAMPLE_WEIGHT = 4,
};

// A symbol and how often it is to be expected.
typedef struct Leaf {
    uint32_t weight;
    int symbol;
} Leaf;

// Weighs symbols by the lengths of their codes: each bit less is twice as often.
static void weigh(const JHUFF_TBL *table, uint32_t factor, uint32_t weights[SYMBOL_COUNT]) {
    const UINT8 *symbols = table->huffval;
    for (int length = 1; length <= LONGEST_CODE; length++) {
        for (int i = 0; i < table->bits[length]; i++) {
            weights[*symbols++] += factor << (LONGEST_CODE - length);
        }
    }
}

static int by_weight(const void *left, const void *right) {
    const Leaf *a = left;
    const Leaf *b = right;
    if (a->weight != b->weight) {
        return a->weight < b->weight ? -1 : 1;
    }
    return b->symbol - a->symbol;
}

// Counts the bits of each leaf's code, after Huffman: the two lightest trees become one, until one is left. Leaves come
// sorted, and trees are made in rising order, so that the lightest is the first of one of the two.
static void measure(const Leaf *leaves, int count, int lengths[LEAF_COUNT]) {
    uint32_t weights[2 * LEAF_COUNT];
    int parents[2 * LEAF_COUNT];
    int depths[2 * LEAF_COUNT];
    int next_leaf = 0;
    int next_tree = count;
    int end = count;
    for (int i = 0; i < count; i++) {
        weights[i] = leaves[i].weight;
    }
    while (end < 2 * count - 1) {
        weights[end] = 0;
        for (int child = 0; child < 2; child++) {
            bool is_leaf = next_leaf < count && (next_tree == end || weights[next_leaf] <= weights[next_tree]);
            int lightest = is_leaf ? next_leaf++ : next_tree++;
            weights[end] += weights[lightest];
            parents[lightest] = end;
        }
        end++;
    }
    depths[end - 1] = 0;
    for (int i = end - 2; i >= 0; i--) {
        depths[i] = depths[parents[i]] + 1;
    }
    for (int i = 0; i < count; i++) {
        lengths[i] = depths[i];
    }
}

// Shortens codes of more bits than a table can have (T.81, figure K.3): of two of the longest codes one takes the place of
// their prefix, and the other shares that of a shorter code.
static void limit(int counts[LEAF_COUNT]) {
    for (int length = LEAF_COUNT - 1; length > LONGEST_CODE; length--) {
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

// Makes a table of what it was before, that of T.81 annex K, in which all symbols have codes, and of one of a part of the
// image.
static void fill(JHUFF_TBL *table, const JHUFF_TBL *sample) {
    uint32_t weights[SYMBOL_COUNT] = {0};
    weigh(table, 1, weights);
    weigh(sample, SAMPLE_WEIGHT, weights);
    Leaf leaves[LEAF_COUNT];
    int count = 0;
    // The lightest, and of those the last, so that it has one of the longest codes.
    leaves[count++] = (Leaf){.weight = 0, .symbol = SYMBOL_COUNT};
    for (int symbol = 0; symbol < SYMBOL_COUNT; symbol++) {
        if (weights[symbol] > 0) {
            leaves[count++] = (Leaf){.weight = weights[symbol], .symbol = symbol};
        }
    }
    qsort(leaves, (size_t)count, sizeof leaves[0], by_weight);
    int lengths[LEAF_COUNT];
    measure(leaves, count, lengths);
    int counts[LEAF_COUNT] = {0};
    for (int i = 0; i < count; i++) {
        counts[lengths[i]]++;
    }
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
    // From the heaviest, with the shortest code, to the lightest; the reserved symbol comes last.
    for (int i = count - 1; i > 0; i--) {
        table->huffval[count - 1 - i] = (UINT8)leaves[i].symbol;
    }
}

void jpeg_tables_adopt(struct jpeg_compress_struct *target, const struct jpeg_compress_struct *sample) {
    for (int index = 0; index < NUM_HUFF_TBLS; index++) {
        const JHUFF_TBL *dc = sample->dc_huff_tbl_ptrs[index];
        const JHUFF_TBL *ac = sample->ac_huff_tbl_ptrs[index];
        if (dc != NULL && target->dc_huff_tbl_ptrs[index] != NULL) {
            fill(target->dc_huff_tbl_ptrs[index], dc);
        }
        if (ac != NULL && target->ac_huff_tbl_ptrs[index] != NULL) {
            fill(target->ac_huff_tbl_ptrs[index], ac);
        }
    }
}
