#include "huffman.h"

#include <string.h>

// A symbol, and its code aligned to the left of 16 bits.
typedef struct Code {
    uint32_t bits;
    int length;
    // Of the value behind the code.
    int category;
    uint32_t advance;
    bool ends_block;
} Code;

static Code code_of(uint8_t symbol, bool is_ac, uint32_t bits, int length) {
    const int category = is_ac ? symbol & 15 : symbol;
    return (Code){
        .bits = bits,
        .length = length,
        .category = category,
        .advance = is_ac ? (uint32_t)(symbol >> 4) + 1 : 1,
        .ends_block = is_ac && category == 0 && symbol != 0xF0,
    };
}

static bool is_usual(bool is_ac, uint8_t symbol) {
    return is_ac ? (symbol & 15) <= GREATEST_CATEGORY - 1 : symbol <= GREATEST_CATEGORY;
}

// Assigns codes in order (T.81 C.2). False where there are more than their lengths allow.
static bool assign_codes(HuffmanTable *table, Code *codes, const uint8_t *counts, bool is_ac) {
    uint32_t code = 0;
    int32_t index = 0;
    for (int length = 1; length <= 16; length++) {
        table->offsets[length] = index - (int32_t)code;
        for (int i = 0; i < counts[length - 1]; i++, code++, index++) {
            if (code >= 1u << length) {
                return false;
            }
            codes[index] = code_of(table->symbols[index], is_ac, code << (16 - length), length);
        }
        table->limits[length] = code << (16 - length);
        code <<= 1;
    }
    return true;
}

// T.81 F.2.2.1: values below half of their range are negative.
static int32_t extended(uint32_t value, int category) {
    return category > 0 && value < 1u << (category - 1) ? (int32_t)value - (1 << category) + 1 : (int32_t)value;
}

static void fill_values(HuffmanTable *table, const Code *codes, size_t count) {
    memset(table->values, 0, sizeof table->values);
    for (const Code *code = codes; code < codes + count; code++) {
        const int length = code->length + code->category;
        if (length > VALUE_BITS) {
            continue;
        }
        const uint32_t advance = code->ends_block ? VALUE_END_OF_BLOCK : code->advance;
        const uint32_t spread = 1u << (VALUE_BITS - length);
        uint32_t *entry = table->values + (code->bits >> (16 - VALUE_BITS));
        for (uint32_t value = 0; value < 1u << code->category; value++) {
            for (uint32_t i = 0; i < spread; i++) {
                *entry++ = (uint32_t)length | advance << 8 | (uint32_t)extended(value, code->category) << 16;
            }
        }
    }
}

// What all whole symbols take together that `bits` bits begin with, 0 where there is none. `shorter` are the tables for
// fewer bits, of which the one for n bits begins at index 2^n.
static void fill_skips_of(
    int bits, uint16_t *entries, const uint16_t *shorter, const Code *codes, size_t count
) {
    memset(entries, 0, sizeof *entries << bits);
    for (const Code *code = codes; code < codes + count; code++) {
        const int length = code->length + code->category;
        if (length > bits) {
            continue;
        }
        const uint16_t advance = code->ends_block ? SKIP_END_OF_BLOCK : (uint16_t)code->advance;
        const uint16_t first = (uint16_t)(length | advance << 8);
        const uint32_t rest = 1u << (bits - length);
        uint16_t *entry = entries + (code->bits >> (16 - bits));
        for (uint32_t value = 0; value < 1u << code->category; value++, entry += rest) {
            for (uint32_t i = 0; i < rest; i++) {
                const uint16_t next = shorter[rest + i];
                // No more than 63 coefficients can follow, and nothing the end.
                const bool fits = !code->ends_block && advance + (next >> 8 & (SKIP_END_OF_BLOCK - 1)) <= 63;
                entry[i] = fits ? first + next : first;
            }
        }
    }
}

static void fill_skips(HuffmanTable *table, const Code *codes, size_t count) {
    uint16_t shorter[1 << SKIP_BITS];
    shorter[0] = shorter[1] = 0;
    for (int bits = 1; bits < SKIP_BITS; bits++) {
        fill_skips_of(bits, shorter + (1 << bits), shorter, codes, count);
    }
    fill_skips_of(SKIP_BITS, table->skips, shorter, codes, count);
    for (size_t index = 0; index < 1 << SKIP_BITS; index++) {
        if (table->skips[index] == 0) {
            table->skips[index] = SKIP_NOTHING << 8;
        }
    }
}

bool huffman_table_set(
    HuffmanTable *table, bool is_ac, const uint8_t *counts, const uint8_t *symbols, size_t symbol_count
) {
    size_t total = 0;
    for (int length = 0; length < 16; length++) {
        total += counts[length];
    }
    if (total != symbol_count || total > sizeof table->symbols) {
        return false;
    }
    for (size_t i = 0; i < symbol_count; i++) {
        if (!is_usual(is_ac, symbols[i])) {
            return false;
        }
        table->symbols[i] = symbols[i];
    }
    Code codes[256];
    table->is_set = assign_codes(table, codes, counts, is_ac);
    if (table->is_set) {
        fill_values(table, codes, symbol_count);
        if (is_ac) {
            fill_skips(table, codes, symbol_count);
        }
    }
    return table->is_set;
}
